import LinuxKernel

@testable import Explanation

/// The reader of captures, and what it makes of their packets.
enum Captures {
    static func explain(_ bytes: [UInt8]) {
        do {
            var explainer = try Explainer(bytes, name: "fuzz.pcapng")
            let run = try explainer.explain()
            precondition(
                run.shares.values.reduce(.zero, +) == run.duration, "shares are the duration")
            for removal in Removal.allCases {
                precondition(run.prediction(without: removal) <= run.duration, "\(removal)")
            }
            _ = run.sentence
            _ = ExplanationPage(run).html
            _ = ExplanationJSON(run)
        } catch {
            expectLine("\(error)", of: "fuzz.pcapng")
        }
    }
}

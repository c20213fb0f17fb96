import Explanation
import FoundationEssentials
import LinuxKernel
import Recording
import Sandbox
import SandboxRuns
import SystemPackage

/// The file of `linkcond run --explain`, and the capture that it needs.
struct ExplainedRun {
    /// Where the packets go.
    let capture: String
    private let file: ResultFile
    private let scratch: ScratchDirectory?

    /// Checks that the file can be written.
    ///
    /// - Parameter capture: The capture that the user keeps; nil: a temporary one.
    init(file: String, capture: String?, owner: LinuxKernel.Program.Identity?) throws {
        self.file = try ResultFile(creating: file, owner: owner)
        if let capture {
            (self.capture, scratch) = (capture, nil)
        } else {
            let scratch = try ScratchDirectory(prefix: "linkcond-explain-")
            (self.capture, self.scratch) = (
                scratch.url.appending(path: "run.pcapng").path, scratch
            )
        }
    }

    /// Explains the run, runs it again if that is wanted, writes the file and reports the sentence.
    ///
    /// - Parameters:
    ///   - recorded: What became of the capture.
    ///   - again: The request and the end of the run, to run it without components of the network;
    ///     nil: not wanted.
    /// - Returns: Whether the file was written, and the signal that ended the further runs.
    func write(
        recorded: FileReport?, again: (SandboxRequest, Sandbox.Outcome)?, _ console: Console
    ) -> (isWritten: Bool, interruption: Int32?) {
        defer { scratch?.remove() }
        // What is there would look like the whole run.
        guard recorded?.problem == nil else {
            console.note(
                "the run is not explained, as its packets could not all be recorded; make room for "
                    + "them, or choose another place with " + (scratch == nil ? "--pcap" : "TMPDIR")
            )
            return (false, nil)
        }
        do {
            var explanation = try ExplainCommand.explanation(of: capture)
            console.report(explanation.sentence)
            var interruption: Int32?
            if let (request, outcome) = again {
                (explanation.counterfactuals, interruption) = try Self.run(
                    request, outcome, explanation, console)
            }
            try file.write(Self.text(of: explanation, for: file.path))
            return (true, interruption)
        } catch {
            console.note("\(error)")
            return (false, nil)
        }
    }

    private static func run(
        _ request: SandboxRequest, _ outcome: Sandbox.Outcome, _ explanation: Explanation,
        _ console: Console
    ) throws -> ([Counterfactual], Int32?) {
        let runs = CounterfactualRuns(
            request, explanation, exitCode: outcome.exitCode, seed: outcome.statistics?.seed)
        let count = explanation.removals.count + 1
        console.report(
            "The command runs \(count) more time\(count == 1 ? "" : "s"); a run for which this machine "
                + "is too busy is repeated.")
        var number = 0
        let (all, interruption) = try runs.run { run, total in
            number += 1
            let name = run.removal.map { "without \($0.text)" } ?? "unchanged"
            let measured = run.measured.map { "measured \($0.readableText)" }
            let parts = ["predicted \(run.predicted.readableText)", measured, run.problem]
            console.report(
                "[\(number)/\(total)] \(name): "
                    + parts.compactMap(\.self).joined(separator: ", "))
        }
        return (all, interruption)
    }

    private static func text(of explanation: Explanation, for path: String) throws -> String {
        let name = path.lowercased()
        if name.hasSuffix(".html") { return ExplanationPage(explanation).html }
        if name.hasSuffix(".json") {
            return try JSONText.text(of: ExplanationJSON(explanation)) + "\n"
        }
        return ExplanationText.page(explanation, isStyled: false)
    }
}

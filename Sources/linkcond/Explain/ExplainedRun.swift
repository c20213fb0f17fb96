import Explanation
import FoundationEssentials
import LinuxKernel
import Recording
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

    /// Explains the run, writes the file and reports the sentence; false on failure.
    func write(_ console: Console) -> Bool {
        defer { scratch?.remove() }
        do {
            let explanation = try ExplainCommand.explanation(of: capture)
            try file.write(Self.text(of: explanation, for: file.path))
            console.report(explanation.sentence)
            return true
        } catch {
            console.note("\(error)")
            return false
        }
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

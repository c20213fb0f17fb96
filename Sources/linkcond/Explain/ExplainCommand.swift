import ArgumentParser
import Explanation
import LinuxKernel
import Recording
import SystemPackage
import UserCatalog

/// `linkcond explain CAPTURE`
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains where the time of a run went, from its capture.",
        discussion: """
            CAPTURE is what linkcond run --pcap wrote; others, pcapng or pcap, do not say what the \
            link did to packets. At any moment a run waits for one thing: \
            explain walks back from its end along the packets that were waited for, and says for \
            each interval what that was: the delay or the bandwidth of the link, its queue, the \
            recovery from a loss, a handshake, a window, the server, or the app itself. The times \
            add up to the duration of the run; connections beside each other are not added up.

            Then it lists connections and requests, and what the numbers suggest to change, with \
            the packets that show it, numbered as wireshark does.

            Examples:
              linkcond run 3G --pcap 3g.pcapng -- npm test
              linkcond explain 3g.pcapng
              linkcond explain 3g.pcapng --html 3g.html
              linkcond explain 3g.pcapng --json | jq .shares
            """)

    @Argument(help: "The capture; - is standard input.", completion: .file())
    var capture: String

    @Option(
        help: ArgumentHelp("Also write a page with a picture.", valueName: "file"),
        completion: .file())
    var html: String?

    @Flag(help: "Print JSON, as Profiles/schema/explanation.schema.json describes it.")
    var json = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard html.map(FilePlace.init) != FilePlace(capture) || capture == "-" else {
            throw ValidationError(
                "--html \(html ?? "") would replace the capture; choose another file")
        }
    }

    func run() throws {
        let console = global.console
        let page = try html.map { try ResultFile(creating: $0) }
        let explanation = try Self.explanation(of: capture)
        try page?.write(ExplanationPage(explanation).html)
        if json {
            try console.print(JSONText.text(of: ExplanationJSON(explanation)))
        } else {
            try console.print(ExplanationText.page(explanation, isStyled: console.isStyled))
        }
    }

    /// Explains a file, or standard input.
    static func explanation(of capture: String) throws -> Explanation {
        guard capture != "-" else {
            var explainer = try Explainer(.standardInput, name: "standard input")
            return try explainer.explain()
        }
        let file: FileDescriptor
        do {
            file = try FileDescriptor.open(
                FilePath(capture), .readOnly, options: [.closeOnExec])
        } catch {
            throw FileAccessError(.reading, capture, error as? Errno ?? .ioError)
        }
        return try file.closeAfter {
            var explainer = try Explainer(file, name: capture)
            return try explainer.explain()
        }
    }
}

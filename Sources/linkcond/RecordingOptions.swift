import ArgumentParser
import Glibc
import LinkModel
import Recording
import Sandbox
import SandboxRuns

/// Options for the files that record a run.
struct RecordingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write link statistics as JSON.",
            more: "As - each of these files is standard output; what the command writes there goes "
                + "to standard error then. Profiles/schema/statistics.schema.json describes them.",
            valueName: "file"),
        completion: .file())
    var stats: String?

    @Option(
        help: ArgumentHelp(
            "Write all packets as pcapng, with their fates.",
            more: "The fates are comments. Excludes packets still in flight at the end, and those "
                + "that --loopback conditions.", valueName: "file"),
        completion: .file())
    var pcap: String?

    @Option(
        help: ArgumentHelp(
            "Write a line per packet: CSV if .csv, else JSON.",
            more: "The end of the name decides. Excludes the same packets as --pcap.",
            valueName: "file"),
        completion: .file())
    var log: String?

    @Option(
        help: ArgumentHelp(
            "Plot the link over time: HTML if .html, else SVG.",
            more: "It shows traffic and conditions. The end of the name decides.",
            valueName: "file"),
        completion: .file())
    var timeline: String?

    @Option(
        help: ArgumentHelp(
            "Explain where the time went: HTML, JSON or text.",
            more:
                "Like linkcond explain of the capture; HTML if the name ends in .html, JSON if in "
                + ".json.", valueName: "file"),
        completion: .file())
    var explain: String?

    @Flag(
        help: ArgumentHelp(
            "With --explain, also run it without loss, and so on.",
            more: "The command runs up to six times in all: as it is, again unchanged, and without "
                + "loss, bandwidth limit, delay and name resolution, if it waited for them. "
                + "Predicted and measured times are in the explanation. The further runs read and "
                + "print nothing; all other files, and the exit code, are of the first."))
    var counterfactual = false

    func validate() throws {
        guard explain != nil || !counterfactual else {
            throw ValidationError(
                "--counterfactual is a part of the explanation; add --explain FILE")
        }
        guard [stats, pcap, log, timeline].count(where: { $0 == "-" }) <= 1 else {
            throw ValidationError(
                "only one of --stats, --pcap, --log and --timeline can be - for standard output")
        }
        guard pcap != "-" || isatty(STDOUT_FILENO) == 0 else {
            throw ValidationError(
                "--pcap - would write packets to the terminal; send standard output to a file or a "
                    + "program, as in: --pcap - -- COMMAND | tshark -r -")
        }
        guard explain == nil || explain != "-" && pcap != "-" else {
            throw ValidationError(
                "--explain needs names of files, for itself and for --pcap, instead of -")
        }
        let paths = [stats, pcap, log, timeline, explain].compactMap(\.self)
        guard !paths.contains("") else {
            throw ValidationError(
                "--stats, --pcap, --log, --timeline and --explain need the name of a file, not an "
                    + "empty one")
        }
        guard Set(paths.map(FilePlace.init)).count == paths.count else {
            throw ValidationError(
                "--stats, --pcap, --log, --timeline and --explain cannot write to the same file")
        }
    }

    /// Rejects options that need the packet engine if the kernel was requested.
    func requireEngine(ifNeededBy request: SandboxRequest) throws {
        guard request.backend == .kernel else { return }
        let options = [
            "--pcap": pcap != nil, "--log": log != nil, "--explain": explain != nil,
            "--seed": request.seed != nil,
            "--faithful": request.tolerance.isChosen,
        ]
        guard let option = options.filter(\.value).keys.sorted().first else { return }
        throw UnavailableError(
            description: "the kernel data plane cannot do \(option); leave out \(option) or "
                + "--backend kernel")
    }

    /// Opens the files and makes `request` fill them.
    ///
    /// - Parameter capture: Where to write the packets; nil: nowhere.
    func files(for request: inout SandboxRequest, capture: String?) throws -> RunFiles {
        request.recording.application = "linkcond \(ProgramVersion.current)"
        return try RunFiles(
            statistics: stats, capture: capture, log: log, timeline: timeline, for: &request)
    }
}

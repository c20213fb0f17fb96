import ArgumentParser
import FoundationEssentials
import HostConditioning
import LinkModel
import LinkUnits
import LinuxKernel
import PacketEngine
import Recording
import SystemPackage
import UserCatalog

/// `linkcond trace record NAME`
struct TraceRecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Records a delivery trace of a real link while it is busy.",
        discussion: """
            NAME.down records when bytes arrive at the interface. NAME.up records when TCP \
            acknowledges uploaded bytes; it is written if there was an upload. Idle time before \
            and after is cut off.

            A trace shows the capacity of a link only while something keeps the link busy, such as \
            a download or an upload that its server does not limit. While nothing is sent, the \
            trace shows no capacity. A simultaneous download and upload slow each other down by \
            their acknowledgements: run one after the other.

            With a command after --, the recording runs the command as the calling user, lasts as \
            long as it, and exits with its exit code. Otherwise it lasts until --for or Ctrl-C.

            Examples:
              sudo linkcond trace record home -- curl -o /dev/null https://example.com/large-file
              sudo linkcond trace record home -- sh -c 'iperf3 -c host -R; iperf3 -c host'
              sudo linkcond trace record train -i wwan0 --for 10m
              linkcond import home.down --up home.up --save
            """)

    @Argument(help: "The name of the files, without .down and .up.", completion: .file())
    var name: String

    @Option(
        name: [.customShort("i"), .customLong("interface")],
        help: ArgumentHelp(
            "The interface. Default: the one with the default route.", valueName: "name"),
        completion: .interfaces)
    var interface: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "How long to record, such as 60s; ends the command if it still runs.",
            valueName: "duration"),
        transform: DurationArgument.parse)
    var duration: Duration?

    @Flag(help: "Overwrite existing files.")
    var force = false

    @OptionGroup(title: "Whose interface") var target: TargetOptions

    @OptionGroup var global: GlobalOptions

    @Argument(
        parsing: .postTerminator,
        help: "A command that keeps the link busy, after --.")
    var command: [String] = []

    private var downFile: String { "\(name).down" }
    private var upFile: String { "\(name).up" }

    func validate() throws {
        if let duration { try TimeLimitOptions.validate(duration) }
        guard name != "-" else {
            throw ValidationError(
                "-: a recording is two traces, which cannot both be standard output; give a name.")
        }
        guard !name.isEmpty, !name.hasSuffix("/") else {
            throw ValidationError("there is no name; the files are called NAME.down and NAME.up.")
        }
    }

    func run() throws {
        let console = global.console
        for file in [downFile, upFile] where !force {
            guard !FileManager.default.fileExists(atPath: file) else {
                throw FileAccessError(.writing, file, .fileExists)
            }
        }
        let user = InvokingUser.behindSudo(environment: ProcessInfo.processInfo.environment)
        let words =
            command.isEmpty ? [] : LinuxKernel.Process.argumentsBehindHyphens
        try target.enter(console)
        let index = try HostLink.index(of: interface)
        var recorder = try TraceRecorder(interface: index)
        // Opened before recording, so that an unwritable file fails at once.
        let file = try ResultFile(creating: downFile, owner: user?.identity)
        let end = try recorder.record(words, as: user?.identity, for: duration)
        if recorder.missedFrames > 0 {
            console.note("\(recorder.missedFrames) frames came too fast to be recorded")
        }
        try write(recorder, to: file, user?.identity, console)
        if let end, end != 0 { throw ExitCode(end) }
    }

    private func write(
        _ recorder: borrowing TraceRecorder, to file: ResultFile,
        _ owner: LinuxKernel.Program.Identity?, _ console: Console
    ) throws {
        guard let down = recorder.down.trace else {
            throw RecordingError.nothingPassed
        }
        try file.write(down.text)
        report(down, downFile, console)
        if let up = recorder.up.trace, up.period >= .seconds(1) {
            try ResultFile(creating: upFile, owner: owner).write(up.text)
            report(up, upFile, console)
        } else {
            console.explain("there was no upload by TCP, so there is no \(upFile)")
        }
    }

    private func report(_ trace: DeliveryTrace, _ file: String, _ console: Console) {
        console.report("\(file): \(TraceText.summary(of: trace))")
        let statistics = TraceStatistics(trace)
        guard statistics.silence.partsPerBillion > Self.muchSilence else { return }
        console.note(
            "\(file): nothing passed in \(TraceText.silence(in: statistics)) of the time; that is the link only if "
                + "something kept it busy")
    }

    /// A busy cellular link is silent for a smaller share of the time than this.
    private static let muchSilence: UInt32 = 200_000_000
}

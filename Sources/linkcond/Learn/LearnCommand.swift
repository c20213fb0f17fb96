import ArgumentParser
import FoundationEssentials
import HostConditioning
import Learning
import LinkModel
import LinkUnits
import LinuxKernel
import SystemPackage
import UserCatalog

/// `linkcond learn NAME --server HOST`
struct LearnCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "learn",
        abstract: "Makes a profile of a real network, by measuring it or from a capture.",
        usage: """
            linkcond learn <name> --server <host> [<options>]
            linkcond learn --serve [--listen <address>] [--port <port>]
            linkcond learn <name> --from <capture> [<options>]
            linkcond learn <name> --interface <name> --passive <duration> [<options>]
            """,
        discussion: """
            With --server it measures the way between this host and another, on which linkcond \
            learn --serve answers: delay and jitter, bandwidth, queue, loss with its bursts, \
            reordering, duplicates and MTU of each direction. It takes all the bandwidth for some \
            seconds. Give it more --time for rare losses and large jitter.

            With --from or --passive it sends nothing and reads the packets of others. They show \
            bounds: how fast it was at least, how long a round trip took at least.

            It writes NAME.yaml, in which each number has a comment that says how it was found and \
            how sure it is, and a delivery trace per direction whose bandwidth varies. linkcond run \
            ./NAME.yaml replays it.

            Examples:
              linkcond learn --serve                          (on the other host)
              linkcond learn cafe --server host.example.com
              linkcond learn cafe --server 192.0.2.1 --time 60s
              linkcond learn old --from capture.pcapng
              sudo linkcond learn home -i wlan0 --passive 10m
              linkcond run ./cafe.yaml -- npm test
            """)

    @Argument(help: "The name of the profile, and of its file.")
    var name: String?

    @Option(
        help: ArgumentHelp("The host of a responder, by name or address.", valueName: "host"))
    var server: String?

    @Flag(help: "Answer those who measure the way to this host, until Ctrl-C.")
    var serve = false

    @Option(
        help: ArgumentHelp(
            "The address at which to answer.", more: "Default: all of this host.",
            valueName: "address"))
    var listen: IPAddress?

    @Option(
        help: ArgumentHelp(
            "TCP and UDP port of the responder.", valueName: "port"))
    var port = Responder.defaultPort

    @Option(
        help: ArgumentHelp(
            "How long to measure (default: 20s).", more: "Slow links take longer.",
            valueName: "duration"),
        transform: DurationArgument.parse)
    var time = Duration.seconds(20)

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp(
            "A capture to learn from, pcapng or pcap; - is standard input.", valueName: "file"),
        completion: .file())
    var capture: String?

    @Option(
        name: [.customShort("i"), .customLong("interface")],
        help: ArgumentHelp("The interface to listen at, as root.", valueName: "name"),
        completion: .interfaces)
    var interface: String?

    @Option(
        help: ArgumentHelp("How long to listen at it.", valueName: "duration"),
        transform: DurationArgument.parse)
    var passive: Duration?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file of the profile, or a directory.", more: "Default: NAME.yaml here.",
            valueName: "file"), completion: .file())
    var output: String?

    @Flag(help: "Overwrite existing files.")
    var force = false

    @Flag(help: "Print JSON, as Profiles/schema/learn.schema.json describes it.")
    var json = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        let sources = [server != nil, serve, capture != nil, passive != nil || interface != nil]
        guard sources.count(where: { $0 }) == 1 else {
            throw ValidationError(
                "name one of --server HOST, --serve, --from CAPTURE, and -i INTERFACE --passive "
                    + "DURATION.")
        }
        if serve {
            guard name == nil, output == nil, !force, !json else {
                throw ValidationError(
                    "--serve takes no NAME, --output, --force or --json: the other end writes "
                        + "the profile.")
            }
        } else {
            guard let name else { throw ValidationError("name the profile: linkcond learn NAME.") }
            guard !ImportFiles.names(for: [name])[0].isEmpty, !name.isEmpty else {
                throw ValidationError("the name is empty.")
            }
            guard listen == nil else { throw ValidationError("--listen goes with --serve.") }
        }
        if (passive == nil) != (interface == nil) {
            throw ValidationError("-i INTERFACE and --passive DURATION go together.")
        }
        guard port > 0 else { throw ValidationError("--port 0: ports begin with 1.") }
        guard (Duration.seconds(5)...(.seconds(600))).contains(time) else {
            throw ValidationError("--time \(time.unitText): 5 s to 10 min.")
        }
        if let passive {
            guard (Duration.seconds(1)...(.seconds(86_400))).contains(passive) else {
                throw ValidationError("--passive \(passive.unitText): a second to a day.")
            }
        }
    }

    func run() throws {
        let console = global.console
        if serve { return try answer(console) }
        let name = name ?? ""
        let file = path(name)
        try LearnedFiles.check(file, isForced: force)
        let link: LearnedLink
        if let server {
            link = try ActiveMeasurement.run(
                .init(
                    host: server, port: port, time: time, program: "\(ProgramVersion.current)")
            ) { console.report($0) }
        } else if let capture {
            link = try Self.learn(from: capture)
        } else {
            let index = try HostLink.index(of: interface)
            console.report("listening for \((passive ?? .zero).unitText), or until Ctrl-C")
            link = try PassiveLearning.listening(
                at: index, name: interface ?? "", for: passive ?? .zero)
        }
        let profile = LearnedProfile(
            link, name: name, file: file, date: LearnedFiles.today)
        try ImportFiles.write(profile.files, isForced: force)
        if json {
            try console.print(
                JSONText.text(
                    of: LearnedJSON(link, name: name, files: profile.files.map(\.file))))
        } else {
            try console.print(LearnedText.page(link, isStyled: console.isStyled))
        }
        let place = file.contains("/") ? file : "./\(file)"
        console.report("\(file): linkcond run \(place) -- COMMAND replays it")
    }

    private static func learn(from capture: String) throws -> LearnedLink {
        guard capture != "-" else {
            return try PassiveLearning.fromCapture(.standardInput, name: "standard input")
        }
        let file: FileDescriptor
        do {
            file = try FileDescriptor.open(
                FilePath(capture), .readOnly, options: [.closeOnExec])
        } catch {
            throw FileAccessError(.reading, capture, error as? Errno ?? .ioError)
        }
        return try file.closeAfter {
            try PassiveLearning.fromCapture(file, name: capture)
        }
    }

    /// The file of the profile.
    private func path(_ name: String) -> String {
        let own = ImportFiles.names(for: [name])[0]
        guard let output else { return own }
        var isDirectory = false
        if FileManager.default.fileExists(atPath: output, isDirectory: &isDirectory), isDirectory {
            return output.hasSuffix("/") ? output + own : "\(output)/\(own)"
        }
        return output.hasSuffix("/") ? output + own : output
    }

    private func answer(_ console: Console) throws {
        let responder = try Responder(
            at: listen, port: port, program: "\(ProgramVersion.current)")
        let here = listen.map { "\($0)" } ?? "THIS-HOST"
        let portText = port == Responder.defaultPort ? "" : " --port \(port)"
        console.report("answering at port \(port) (TCP and UDP) until Ctrl-C; at the other end:")
        console.report("  linkcond learn NAME --server \(here)\(portText)")
        try responder.serve(ConsoleListener(console: console))
    }

    private struct ConsoleListener: Responder.Listener {
        let console: Console
        func report(_ text: String) { console.report(text) }
    }
}

import ArgumentParser
import Doctor
import Learning
import LinkModel
import LinuxKernel

/// `linkcond doctor`
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Reports what this host supports, or what its network does.",
        usage: """
            linkcond doctor [--json]
            linkcond doctor --network <host> [<options>]
            """,
        discussion: """
            It tests each kernel feature in a new network namespace and leaves the host's network \
            untouched. The features for apply need root.

            With --network it says what stands in the middle of the network that this host is on: \
            a NAT and its kind, NAT64, a captive portal, a smaller MTU, blocked UDP and QUIC, a \
            name server that lies. On HOST, linkcond learn --serve has to answer. It asks the name \
            server for four names, and http://detectportal.firefox.com/ once. --output makes a \
            profile of it, which linkcond run replays.

            The exit code is 69 if neither the kernel nor the packet engine can apply a profile \
            on this host, and 1 if nothing answers on HOST.

            Examples:
              sudo linkcond doctor
              sudo linkcond doctor --json
              linkcond learn --serve                          (on the other host)
              linkcond doctor --network host.example.com --output hotel.yaml
            """)

    @Option(
        help: ArgumentHelp(
            "Say what the network does on the way to this responder.", valueName: "host"))
    var network: String?

    @Option(help: ArgumentHelp("TCP and UDP port of the responder.", valueName: "port"))
    var port: UInt16?

    @Option(
        help: ArgumentHelp(
            "The name server to ask.", more: "Default: the first of /etc/resolv.conf.",
            valueName: "address"))
    var nameServer: IPAddress?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write a profile of the network.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Overwrite an existing file.")
    var force = false

    @Flag(
        help: ArgumentHelp(
            "Print JSON, as Profiles/schema/doctor.schema.json describes it.",
            more: "With --network: doctor-network.schema.json."))
    var json = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard network == nil else {
            guard network?.isEmpty == false else {
                throw ValidationError("--network: name the host of a responder.")
            }
            guard port != 0 else { throw ValidationError("--port 0: ports begin with 1.") }
            guard output?.isEmpty != true, output?.hasSuffix("/") != true else {
                throw ValidationError("--output: name a file, such as hotel.yaml.")
            }
            return
        }
        guard port == nil, nameServer == nil, output == nil, !force else {
            throw ValidationError(
                "--port, --name-server, --output and --force go with --network HOST.")
        }
    }

    func run() throws {
        let console = global.console
        if let network {
            return try NetworkDoctor(
                host: network, port: port ?? Responder.defaultPort, nameServer: nameServer,
                file: output, isForced: force, isJSON: json, console: console
            ).run()
        }
        let diagnosis = Diagnosis.ofThisHost()
        if json {
            try console.print(
                JSONText.text(of: DiagnosisJSON(diagnosis, version: "\(ProgramVersion.current)")))
        } else {
            try console.print(DiagnosisTable.text(diagnosis, isStyled: console.isStyled))
        }
        guard diagnosis.servesKernelPlane || diagnosis.servesEnginePlane else {
            throw ExitCode(.unavailable)
        }
    }
}

import ArgumentParser
import LinuxKernel

/// `linkcond serve`
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves the panel: see and change conditions in a browser.",
        discussion: """
            It prints an address that opens the panel in one browser. The panel shows for each \
            interface and direction what was promised and what is measured; as root, it also \
            switches, changes and clears conditions and overrides. Each action shows the command \
            that does the same. Without root it shows interfaces, and your runs, matrices and \
            proxies.

            Only this host reaches it, unless --listen names another address, for which it needs \
            a certificate. What was applied stays when the server ends; linkcond clear removes it.

            Programs use the same HTTP API with the token in the variable LINKCOND_API_TOKEN: see \
            /v1/openapi.json.

            Examples:
              sudo linkcond serve
              linkcond serve --port 9000
              sudo linkcond serve --listen 192.0.2.1:443 --certificate c.pem --key k.pem
            """)

    @Option(help: "The port on this host's loopback.")
    var port: UInt16?

    @Option(
        help: ArgumentHelp(
            "Another address to listen at, such as 192.0.2.1:443.", valueName: "address:port"),
        transform: PanelAddress.check)
    var listen: String?

    @Option(
        help: ArgumentHelp(
            "The certificate and those above it, as a PEM file.", valueName: "file"),
        completion: .file())
    var certificate: String?

    @Option(
        help: ArgumentHelp("The certificate's private key, as a PEM file.", valueName: "file"),
        completion: .file())
    var key: String?

    @Option(
        help: ArgumentHelp(
            "A name by which browsers reach it, besides that of the host.",
            more: "May be given several times.", valueName: "name"),
        transform: PanelAddress.checkName)
    var hostName: [String] = []

    @Flag(
        help: ArgumentHelp(
            "Listen at another address without encryption.",
            more: "Who sees the traffic can then use the panel."))
    var insecure = false

    @OptionGroup var global: GlobalOptions

    private static let defaultPort: UInt16 = 8475
    private static let server = "linkcond-api"

    func validate() throws {
        guard listen == nil || port == nil else {
            throw ValidationError("--listen has a port of its own; leave --port out.")
        }
        guard (certificate == nil) == (key == nil) else {
            throw ValidationError("--certificate and --key belong together; give both.")
        }
        guard listen == nil || insecure || certificate != nil else {
            throw ValidationError(
                "--listen \(listen ?? ""): whoever sees the traffic could use the panel; give "
                    + "--certificate and --key, or --insecure to accept that.")
        }
        guard listen != nil || !insecure else {
            throw ValidationError("--insecure is about --listen; leave it out.")
        }
    }

    func run() throws {
        guard let path = OwnProgram.neighbour(Self.server) else {
            throw UnavailableError(
                description: "serve needs the program \(Self.server), which is not installed "
                    + "beside this one; build it with: swift build --product \(Self.server)")
        }
        let address = listen ?? "127.0.0.1:\(port ?? Self.defaultPort)"
        var words = [
            "panel", "--address", address, "--program", OwnProgram.path,
            "--version", "\(ProgramVersion.current)",
        ]
        if let certificate, let key { words += ["--certificate", certificate, "--key", key] }
        words += hostName.flatMap { ["--host-name", $0] }
        // Said by the server once it serves.
        if global.console.verbosity != .quiet {
            words += messages(address).flatMap { ["--message", $0] }
        }
        let errno = LinuxKernel.Program(path, words).become()
        throw UnavailableError(description: "\(path): cannot be started: \(errno)")
    }

    /// What is said above the address that opens the panel.
    private func messages(_ address: String) -> [String] {
        let note = "note: \(address) is not encrypted; who sees the traffic can use the panel"
        return (certificate == nil && insecure ? [note] : [])
            + ["open this address in a browser; it works once, for 12 hours:"]
    }
}

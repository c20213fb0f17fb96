import ArgumentParser
import LinkModel

/// Options for servers on the far side of a sandbox.
struct ServerOptions: ParsableArguments {
    @Option(
        name: .customLong("server"),
        help: ArgumentHelp(
            "A shell command that runs as server.linkcond.",
            more: "It runs until the run ends; may be given several times.",
            valueName: "command"))
    var commands: [String] = []

    @Option(
        name: .customLong("server-ready"),
        help: ArgumentHelp(
            "Wait for a server on this port: 8000, 4433/udp.",
            more: "The command starts when it listens, within 30 s; may be given several times.",
            valueName: "port"),
        transform: Self.port)
    var readyPorts: [ServerPort] = []

    @Option(
        name: .customLong("server-stop"),
        help: ArgumentHelp(
            "The time between SIGTERM and SIGKILL.",
            more: "For servers and remaining processes of the command. Default: 5 s.",
            valueName: "duration"),
        transform: DurationArgument.parse)
    var stop: Duration?

    private static func port(_ text: String) throws -> ServerPort {
        guard let port = ServerPort(text) else {
            throw ValidationError(
                "\"\(text)\" is not a port; write a number from 1 to 65535, such as 8000, for UDP "
                    + "4433/udp")
        }
        return port
    }
}

/// Options for how long data may take to arrive after the command has ended.
struct DrainOptions: ParsableArguments {
    @Option(
        name: .customLong("drain"),
        help: ArgumentHelp(
            "How long its data may arrive after its end.",
            more: "Default: 60 s, or 5 s after an interruption or timeout.",
            valueName: "duration"),
        transform: DurationArgument.parse)
    var limit: Duration?
}

import ArgumentParser

/// The servers on the far side of a sandbox.
struct ServerOptions: ParsableArguments {
    @Option(
        name: .customLong("server"),
        help: ArgumentHelp(
            "A shell command that runs as server.linkcond until the run ends; may be given "
                + "several times.", valueName: "command"))
    var commands: [String] = []

    @Option(
        name: .customLong("server-ready"),
        help: ArgumentHelp(
            "Start the command only when a server listens on this TCP port; may be given several "
                + "times.", valueName: "port"))
    var readyPorts: [UInt16] = []
}

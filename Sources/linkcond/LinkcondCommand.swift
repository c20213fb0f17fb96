import ArgumentParser

/// The command line: parse, call one function of a feature module, print, exit code.
@main
struct LinkcondCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "linkcond",
        abstract: "Gives an app on Linux a worse network, exactly as much worse as a profile says.",
        subcommands: [])
}

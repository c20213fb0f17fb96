import ArgumentParser
import DataPlane
import FoundationEssentials
import HostConditioning

/// `linkcond watch`: the process that ends conditions on time, started by `apply` with `--for` or
/// `--until-exit-of`.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Ends conditions when their time limit is reached.",
        discussion: """
            Example:
              linkcond watch 3w5e11264sgsf --for 10m --until 2026-11-21T18:45:00Z
            """, shouldDisplay: false)

    @Argument(help: "The name in the marks of the conditions.")
    var watcher: String

    @Option(
        name: .customLong("for"), help: "How long it waits.",
        transform: DurationArgument.parse)
    var duration: Duration?

    @Option(help: "The process that it waits for.")
    var untilExitOf: Int32?

    @Option(help: "The end time, shown to people who list processes.")
    var until: String?

    @Flag(help: "It ends overrides, not conditions.")
    var overrides = false

    func run() throws {
        try WatcherProcess(
            watcher, ends: overrides ? .overrides : .conditions, after: duration,
            exitOf: untilExitOf
        ).run(environment: ProcessInfo.processInfo.environment)
    }
}

import ArgumentParser
import FoundationEssentials
import HostConditioning

/// `linkcond serve-feed`: tells the server of the panel what is going on, and ends with it.
struct ServeFeedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve-feed", abstract: "Prints the state of the host for the panel.",
        discussion: """
            Example:
              linkcond serve
            """, shouldDisplay: false)

    @OptionGroup(title: "Whose interfaces") var target: TargetOptions

    func run() throws {
        let console = Console(verbosity: .quiet)
        try target.enter(console, followsRuns: true)
        try HostFeed(
            isChosen: target.isGiven, environment: ProcessInfo.processInfo.environment
        ).run { try console.print($0) }
    }
}

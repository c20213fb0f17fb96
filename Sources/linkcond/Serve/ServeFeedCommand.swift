import ArgumentParser
import FoundationEssentials
import HostConditioning
import LinuxKernel

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
        // Else its network would outlive the run, and with it this command.
        let process = try target.pid.map { try ProcessDescriptor($0) }
        try target.enter(console, followsRuns: true)
        try HostFeed(
            isChosen: target.isGiven, endingWith: process,
            environment: ProcessInfo.processInfo.environment
        ).run { try console.print($0) }
    }
}

import ArgumentParser
import FoundationEssentials
import Gateway

/// `linkcond gateway guard`: the process that restores the host when a gateway was killed, started by
/// `gateway`.
struct GatewayGuardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "guard", abstract: "Restores the host when a gateway was killed.",
        discussion: """
            Example:
              linkcond gateway guard
            """, shouldDisplay: false)

    func run() throws {
        try GatewayGuardian.run(environment: ProcessInfo.processInfo.environment)
    }
}

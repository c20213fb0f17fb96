import ArgumentParser
import EnginePlane

/// `linkcond engine`: the packet engine as a background process, started by `apply`.
struct EngineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engine",
        abstract: "Conditions interfaces of this network namespace until they are cleared.",
        discussion: """
            Example:
              sudo linkcond apply LTE --backend engine
            """, shouldDisplay: false)

    func run() {
        EngineServer.run()
    }
}

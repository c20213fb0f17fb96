import ArgumentParser
import LinkModel
import LinuxKernel
import NetworkPath
import ProfileCatalog
import Sandbox
import ScenarioPlaying
import Scenarios
import UserCatalog

/// A scenario in place of a profile.
struct ScenarioOptions: ParsableArguments {
    @Option(
        name: .customLong("scenario"),
        help: ArgumentHelp(
            "Plays a scenario in place of a profile, by its name or the path of its file: what "
                + "happens to the network and to the command, and when.",
            valueName: "name or file"),
        completion: .scenarios)
    var name: String?

    /// The scenario that is asked for; nil: none.
    func entry() throws -> ScenarioCatalog.Entry? {
        try name.map { try UserCatalog.scenarios.entry(named: $0) }
    }
}

extension SandboxRequest {
    /// Asks for a command while a scenario is played.
    init(_ entry: ScenarioCatalog.Entry, command: [RawText]) throws(UsageError) {
        let scenario = entry.scenario
        let interfaces = scenario.interfaces.map { interface in
            SandboxInterface(
                name: interface.name, conditions: interface.profile.conditions,
                profile: interface.conditionsName, mark: NetworkMark(interface.initialOverride),
                isPresent: interface.isPresent, endsConnections: interface.connections == .end)
        }
        if let problem = SandboxInterface.problem(of: interfaces) {
            throw UsageError(description: "\(entry.file ?? scenario.name): \(problem)")
        }
        self.init(interfaces: interfaces, command: command)
        multipath = scenario.multipath
        laterConditions = scenario.laterConditions
        self.scenario = ScenarioRequest(scenario, origin: entry.file ?? scenario.name)
    }
}

public import Catalog
import LinkModel
public import LinuxKernel
import NetworkPath
import Override
public import Sandbox
import Scenarios
public import UserCatalog

extension SandboxRequest {
    /// Asks for a command while a scenario is played.
    public init(_ entry: ScenarioCatalog.Entry, command: [RawText]) throws(UsageError) {
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

    /// What the network is called: the scenario, or the profiles of its interfaces.
    public var networkName: String {
        scenario?.scenario.name ?? interfaces.map(\.profile).joined(separator: ", ")
    }

    /// The command as people read it.
    public var commandText: String { command.map(\.description).joined(separator: " ") }

    /// Whether somebody has said what the interfaces are to look like, or will.
    public var saysMoreThanKinds: Bool {
        scenario != nil || interfaces.contains { $0.mark.saysMoreThanKind }
    }
}

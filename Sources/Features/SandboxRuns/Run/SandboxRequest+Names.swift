public import Catalog
import LinkModel
public import LinuxKernel
import NetworkPath
import Override
public import Sandbox
import Scenarios
public import UserCatalog

extension SandboxRequest {
    /// Requests a command during which a scenario is played.
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
        let lacking = scenario.apps.first { $0.command == nil }
        guard !command.isEmpty || lacking == nil && !scenario.apps.isEmpty else {
            throw UsageError(
                description: "\(lacking.map { "\($0.name): " } ?? "")there is no command; write it "
                    + "behind --, as in: linkcond run --scenario NAME -- ./my-app")
        }
        let own = scenario.apps.first?.command?.map { RawText($0) } ?? []
        self.init(interfaces: interfaces, command: command.isEmpty ? own : command)
        devices = scenario.apps.map { app in
            SandboxDevice(
                name: app.name, interfaces: app.interfaces,
                command: app.command?.map { RawText($0) } ?? command, launch: app.launch,
                isRunning: app.isRunning)
        }
        multipath = scenario.multipath
        laterConditions = scenario.laterConditions
        self.scenario = ScenarioRequest(scenario, origin: entry.file ?? scenario.name)
    }

    /// The network's display name: the scenario, or the profiles of its interfaces.
    public var networkName: String {
        scenario?.scenario.name ?? interfaces.map(\.profile).joined(separator: ", ")
    }

    /// The command for people.
    public var commandText: String { command.map(\.description).joined(separator: " ") }

    /// Whether overrides set more than the kind of an interface, now or later.
    public var saysMoreThanKinds: Bool {
        scenario != nil || interfaces.contains { $0.mark.saysMoreThanKind }
    }
}

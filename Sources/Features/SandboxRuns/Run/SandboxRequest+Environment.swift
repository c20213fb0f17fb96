import NetworkPath
public import Sandbox
import Scenarios

extension SandboxRequest {
    /// Describes the initial network in the environment of each command, assuming the preferred
    /// interface, which is the default. Later overrides and other changes of the network do not
    /// change the environment.
    public mutating func describeNetwork() {
        variables.merge(preferred.variables) { $1 }
        if let scenario { variables["LINKCOND_SCENARIO"] = scenario.scenario.name }
        for index in devices.indices {
            let own = devices[index].interfaces.compactMap { name in
                interfaces.first { $0.name == name }
            }
            let preferred = own.first(where: \.isPresent) ?? own.first
            devices[index].variables = preferred?.variables ?? [:]
            devices[index].variables["LINKCOND_DEVICE"] = devices[index].name
        }
    }
}

extension SandboxInterface {
    /// Environment variables that describe it.
    fileprivate var variables: [String: String] {
        let kind = mark.kindInSandbox
        return [
            "LINKCOND_PROFILE": profile, "LINKCOND_INTERFACE": name,
            "LINKCOND_INTERFACE_KIND": kind.rawValue,
            "LINKCOND_EXPENSIVE": mark.makesExpensive(kind) ? "1" : "0",
            "LINKCOND_CONSTRAINED": mark.makesConstrained ? "1" : "0",
        ]
    }
}

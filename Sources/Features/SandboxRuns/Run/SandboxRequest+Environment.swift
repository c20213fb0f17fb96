import NetworkPath
public import Sandbox
import Scenarios

extension SandboxRequest {
    /// Describes the initial network in the command's environment, assuming the preferred
    /// interface, which is the default. Later overrides and other changes of the network do not
    /// change the environment.
    public mutating func describeNetwork() {
        let mark = preferred.mark
        let kind = mark.kindInSandbox
        variables["LINKCOND_PROFILE"] = preferred.profile
        variables["LINKCOND_INTERFACE"] = preferred.name
        variables["LINKCOND_INTERFACE_KIND"] = kind.rawValue
        variables["LINKCOND_EXPENSIVE"] = mark.makesExpensive(kind) ? "1" : "0"
        variables["LINKCOND_CONSTRAINED"] = mark.makesConstrained ? "1" : "0"
        if let scenario { variables["LINKCOND_SCENARIO"] = scenario.scenario.name }
    }
}

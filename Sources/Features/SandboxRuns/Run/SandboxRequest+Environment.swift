import NetworkPath
public import Sandbox
import Scenarios

extension SandboxRequest {
    /// Tells the command by its environment what its network is like at the start of a run, where
    /// it uses the preferred interface unless it chooses another; no override and no other change
    /// of the network changes an environment.
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

import LinkModel
import Netlink
import NetworkPath
import Sandbox
import Scenarios

extension NetworkMark {
    /// What an app sees of an interface under this profile.
    init(_ profile: Profile) {
        let kind: NetworkInterface.Kind =
            switch profile.interface {
            case .wifi: .wifi
            case .cellular: .cellular
            case .wired: .wired
            case .other: .other
            }
        self.init(
            cost: profile.isExpensive ? .expensive : .default,
            isConstrained: profile.isConstrained ? true : nil, kind: kind)
    }
}

/// What a command in a sandbox finds in its environment.
enum SandboxVariables {
    /// The variables at the start of a run, where the command uses this interface unless it chooses
    /// another; no override and no other change of the network changes an environment.
    static func all(_ request: SandboxRequest) -> [String: String] {
        let interface = request.preferred
        let mark = interface.mark
        let kind = mark.kind ?? (mark.isHotspot ? .wifi : .wired)
        var variables = [
            "LINKCOND_PROFILE": interface.profile,
            "LINKCOND_INTERFACE": interface.name,
            "LINKCOND_INTERFACE_KIND": kind.rawValue,
            "LINKCOND_EXPENSIVE": mark.makesExpensive(kind) ? "1" : "0",
            "LINKCOND_CONSTRAINED": mark.makesConstrained ? "1" : "0",
        ]
        variables["LINKCOND_SCENARIO"] = request.scenario?.scenario.name
        return variables
    }
}

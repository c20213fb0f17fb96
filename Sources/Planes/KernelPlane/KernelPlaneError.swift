public import DataPlane
public import LinkModel
public import LinuxKernel
public import Netlink
import SystemPackage

/// Why interfaces were not conditioned or not cleared.
///
/// The interfaces are as they were before, unless the description says otherwise.
public enum KernelPlaneError: PlaneRefusal {
    case interfaceDown(String)
    case ownInterface(String)
    case indexTooLarge(String)
    case alreadyConditioned(String, name: String, profile: String)
    case unreadableSelector(String, name: String)
    case tooManyConditions(String)
    case foreignFilters(String, Direction, kinds: [String])
    case ingressQdisc(String)
    case missingPrivilege(String)
    case missingFeatures([KernelFeature])
    case unsupported(UnsupportedConditions)
    case refused(interface: String, NetlinkError, isUndone: Bool)
    case vanished(String)
    case kernel(KernelError)
    case netlink(NetlinkError)

    /// One sentence: what failed, why, and what to do.
    public var description: String {
        switch self {
        case .interfaceDown(let name):
            "\(name): the interface is down; bring it up with: ip link set \(ShellWord(name)) up"
        case .ownInterface(let name):
            "\(name): belongs to linkcond itself; name the interface that it conditions"
        case .indexTooLarge(let name):
            "\(name): its index is beyond \(Ownership.lastConditionable), which leaves no room for "
                + "linkcond's own; make the interface anew"
        case .alreadyConditioned(let interface, let name, let profile):
            name == ApplyRequest.defaultName
                ? "\(interface): is conditioned with \(profile) already; use --replace to change it, "
                    + "--name to condition other traffic beside it, or linkcond clear -i \(ShellWord(interface))"
                : "\(interface): has conditions called \(name) already (\(profile)); use --replace to "
                    + "change them, another --name, or linkcond clear -i \(ShellWord(interface)) --name \(ShellWord(name))"
        case .unreadableSelector(let interface, let name):
            "\(interface): which traffic the conditions called \(name) choose cannot be read any "
                + "more; use linkcond clear -i \(ShellWord(interface)) --name \(ShellWord(name)), then apply again"
        case .tooManyConditions(let interface):
            "\(interface): has \(Slot.all.count) conditions already, which are the most; "
                + "clear some of them: linkcond status shows their names"
        case .foreignFilters(let name, let direction, let kinds):
            "\(name): other programs have filters on its way \(direction.rawValue) "
                + "(\(kinds.joined(separator: ", "))), which see packets before linkcond and may "
                + "take them; use --force to condition what they leave"
        case .ingressQdisc(let name):
            "\(name): has an ingress qdisc of another program, which leaves no place for clsact; "
                + "remove it with: tc qdisc del dev \(ShellWord(name)) ingress"
        case .missingPrivilege(let what):
            "\(what) requires the privilege CAP_NET_ADMIN; run it with sudo"
        case .missingFeatures(let features):
            "this kernel lacks \(Self.list(features)); linkcond doctor says how to get "
                + "\(features.count == 1 ? "it" : "them")"
        case .unsupported(let conditions):
            conditions.description
        case .refused(let name, let error, let isUndone):
            "\(name): \(error); "
                + (isUndone
                    ? "nothing was changed" : "not all could be undone: run linkcond clear --all")
        case .vanished(let name):
            "\(name): the interface vanished meanwhile; nothing is left of its conditions"
        case .kernel(let error): error.description
        case .netlink(let error): error.description
        }
    }

    /// Whether the packet engine may succeed.
    public var isLack: Bool {
        switch self {
        case .missingFeatures, .unsupported, .ingressQdisc: true
        default: false
        }
    }

    private static func list(_ features: [KernelFeature]) -> String {
        features.map { "\($0.rawValue) (\($0.purpose))" }.joined(separator: ", ")
    }
}

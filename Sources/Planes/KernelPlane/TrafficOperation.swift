import LinuxKernel
public import Netlink
public import TrafficControl

/// One change to the kernel's state: printable as a command, comparable, and executable.
public enum TrafficOperation: Sendable, Hashable {
    case addIFB(Interface)
    /// Keeps IPv6 from sending announcements through the interface's own qdiscs.
    case silence(Interface)
    case bringUp(Interface, alias: String)
    case deleteLink(Interface)
    /// Deletes all our ifbs at once.
    case deleteOwnLinks
    case addQdisc(Qdisc)
    case replaceQdisc(Qdisc)
    case deleteQdisc(Qdisc)
    case replaceClass(TrafficClass)
    case addFilter(Filter)
    case deleteFilters(
        Interface, parent: QdiscHandle, preference: UInt16, Filter.NetworkProtocol)

    /// The equivalent netlink message.
    public var message: NetlinkMessage {
        switch self {
        case .addIFB(let ifb):
            Link.addIFB(name: ifb.name, index: ifb.index, group: Link.ownGroup)
        case .silence(let ifb): Link.disableAutoconfiguration(index: ifb.index)
        case .bringUp(let ifb, let alias): Link.bringUp(index: ifb.index, alias: alias)
        case .deleteLink(let ifb): Link.delete(index: ifb.index)
        case .deleteOwnLinks: Link.delete(group: Link.ownGroup)
        case .addQdisc(let qdisc): qdisc.add()
        case .replaceQdisc(let qdisc): qdisc.replace()
        case .deleteQdisc(let qdisc): qdisc.delete()
        case .replaceClass(let trafficClass): trafficClass.replace()
        case .addFilter(let filter): filter.add()
        case .deleteFilters(let interface, let parent, let preference, let networkProtocol):
            Filter.delete(
                interface: interface, parent: parent, preference: preference,
                networkProtocol: networkProtocol)
        }
    }

    /// The equivalent `ip` or `tc` command.
    public var commandText: String {
        switch self {
        case .addIFB(let ifb):
            "ip link add \(ShellWord(ifb.name)) index \(ifb.index) group \(Link.ownGroup) type ifb"
        case .silence(let ifb): "ip link set dev \(ShellWord(ifb.name)) addrgenmode none"
        case .bringUp(let ifb, let alias):
            "ip link set dev \(ShellWord(ifb.name)) alias \(ShellWord(alias)) up"
        case .deleteLink(let ifb): "ip link del dev \(ShellWord(ifb.name))"
        case .deleteOwnLinks: "ip link del group \(Link.ownGroup)"
        case .addQdisc(let qdisc): qdisc.tcAddText
        case .replaceQdisc(let qdisc): qdisc.tcReplaceText
        case .deleteQdisc(let qdisc): qdisc.tcDeleteText
        case .replaceClass(let trafficClass): trafficClass.tcText
        case .addFilter(let filter): filter.tcAddText
        case .deleteFilters(let interface, let parent, let preference, let networkProtocol):
            Filter.tcDeleteText(
                interface: interface, parent: parent, preference: preference,
                networkProtocol: networkProtocol)
        }
    }

    /// The operation that undoes it, if any.
    var inverse: TrafficOperation? {
        switch self {
        case .addIFB(let ifb): .deleteLink(ifb)
        case .addQdisc(let qdisc): .deleteQdisc(qdisc)
        case .addFilter(let filter):
            .deleteFilters(
                filter.interface, parent: filter.parent, preference: filter.preference,
                filter.networkProtocol)
        case .silence, .bringUp, .deleteLink, .deleteOwnLinks, .replaceQdisc,
            .deleteQdisc,
            .replaceClass,
            .deleteFilters:
            nil
        }
    }

    /// Whether it is harmless if the kernel refuses.
    var isOptional: Bool {
        switch self {
        // Without IPv6 there is nothing to silence.
        case .silence: true
        case .addFilter(let filter): FilterPlace(preference: filter.preference)?.isGuard ?? false
        case .deleteFilters(_, _, let preference, _):
            FilterPlace(preference: preference)?.isGuard ?? false
        default: false
        }
    }

    /// The kernel feature that it needs beyond those of every kernel.
    public var feature: KernelFeature? {
        switch self {
        case .addIFB: .ifb
        case .addQdisc(let qdisc), .replaceQdisc(let qdisc):
            KernelFeature(qdiscKind: qdisc.kind.name)
        case .addFilter(let filter):
            if case .redirect = filter.verdict {
                .mirred
            } else if case .program = filter.match {
                .programs
            } else {
                .u32
            }
        case .silence, .bringUp, .deleteLink, .deleteOwnLinks, .deleteQdisc,
            .replaceClass,
            .deleteFilters:
            nil
        }
    }
}

import LinuxKernel
import Netlink

/// What the kernel tells of a device, by which its kind is known.
struct DeviceFacts: Hashable, Sendable {
    /// The kind of hardware, by the numbers of ARP.
    var hardwareType: UInt16
    /// The kind of a virtual interface; nil for hardware.
    var virtualKind: String?
    /// What the driver calls itself in sysfs, such as `wlan`.
    var driverType: String?
    /// Whether it belongs to a radio of IEEE 802.11.
    var isRadio = false

    private static let ethernet: UInt16 = 1
    private static let loopback: UInt16 = 772
    private static let radios: ClosedRange<UInt16> = 801...803
    /// IP packets without any header, as modems of mobile networks have them.
    private static let rawIP: UInt16 = 519
    /// Virtual interfaces that carry the Ethernet of another, or stand in for one.
    private static let ethernetKinds: Set<String> = [
        "veth", "vlan", "bridge", "bond", "team", "macvlan", "macvtap", "ipvlan", "ipvtap",
        "netkit", "dsa", "netdevsim",
    ]

    /// What carries the packets.
    var kind: NetworkInterface.Kind {
        if hardwareType == Self.loopback { return .loopback }
        switch virtualKind {
        case "virt_wifi": return .wifi
        case "wwan", "rmnet": return .cellular
        case let kind? where Self.ethernetKinds.contains(kind):
            return hardwareType == Self.ethernet ? .wired : .other
        case .some: return .other
        case nil: break
        }
        switch driverType {
        case "wlan": return .wifi
        case "wwan": return .cellular
        case "bluetooth": return .other
        default: break
        }
        if isRadio || Self.radios.contains(hardwareType) { return .wifi }
        if hardwareType == Self.rawIP { return .cellular }
        return hardwareType == Self.ethernet ? .wired : .other
    }
}

extension DeviceFacts {
    /// Asks sysfs of hardware, if what it shows is the network namespace of `link`.
    init(_ link: Link) {
        self.init(hardwareType: link.hardwareType, virtualKind: link.kind)
        let directory = "/sys/class/net/\(link.name)"
        // In a namespace of its own a process may still see the sysfs of another one.
        guard link.kind == nil, !link.isLoopback,
            let index = try? SmallFile.read("\(directory)/ifindex"),
            Int32(index.prefix { $0.isNumber }) == link.index
        else { return }
        driverType = (try? SmallFile.read("\(directory)/uevent")).flatMap(Self.driverType)
        isRadio = (try? SmallFile.read("\(directory)/phy80211/name")) != nil
    }

    /// The device type in the text of a `uevent` file.
    static func driverType(in text: String) -> String? {
        let prefix = "DEVTYPE="
        return text.split(separator: "\n").first { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count)) }
    }
}

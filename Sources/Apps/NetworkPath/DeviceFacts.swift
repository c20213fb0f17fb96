import LinuxKernel
import Netlink

/// The kernel's facts about a device that determine its kind.
struct DeviceFacts: Hashable, Sendable {
    /// The ARP hardware type.
    var hardwareType: UInt16
    /// The kind of a virtual interface; nil for hardware.
    var virtualKind: String?
    /// The driver's device type in sysfs, such as `wlan`.
    var driverType: String?
    /// Whether it belongs to an IEEE 802.11 radio.
    var isRadio = false

    private static let ethernet: UInt16 = 1
    private static let loopback: UInt16 = 772
    private static let radios: ClosedRange<UInt16> = 801...803
    /// IP packets without a link-layer header, as used by mobile modems.
    private static let rawIP: UInt16 = 519
    /// Virtual interfaces that carry another interface's Ethernet traffic or emulate Ethernet.
    private static let ethernetKinds: Set<String> = [
        "veth", "vlan", "bridge", "bond", "team", "macvlan", "macvtap", "ipvlan", "ipvtap",
        "netkit", "dsa", "netdevsim",
    ]

    /// The kind of interface.
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
    /// Reads sysfs for hardware devices, if sysfs shows the network namespace of `link`.
    init(_ link: Link) {
        self.init(hardwareType: link.hardwareType, virtualKind: link.kind)
        let directory = "/sys/class/net/\(link.name)"
        // A process in another network namespace may still see the sysfs of the first.
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

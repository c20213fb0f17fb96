import CNetlink

/// A network interface as the kernel describes it.
public struct Link: Sendable, Hashable {
    /// Its index, unique in its network namespace.
    public let index: Int32
    /// The name, which can change.
    public let name: String
    /// The kind of a virtual interface, such as `veth` or `ifb`; nil for hardware.
    public let kind: String?
    /// The description (alias) that any administrator may set; empty if there is none.
    public var alias: String { String(decoding: aliasBytes, as: UTF8.self) }
    /// The description as raw bytes, which need not be text.
    public let aliasBytes: [UInt8]
    /// The group, used to handle many interfaces at once.
    public let group: UInt32
    /// The MTU: the largest IP packet.
    public let mtu: UInt32
    /// Whether it is administratively up.
    public let isUp: Bool
    /// Whether it sends packets: it is up, has a carrier, and waits for no login.
    public let isRunning: Bool
    /// Whether it waits for a login or a dial-up.
    public let isDormant: Bool
    /// The hardware type as an ARP number (`ARPHRD_…`).
    public let hardwareType: UInt16
    /// Whether it is a loopback interface.
    public let isLoopback: Bool
    /// Whether packets at its qdiscs begin with an Ethernet header.
    public let hasEthernetHeader: Bool
    /// Whether packets at its qdiscs begin with the IP header and never have another header in
    /// front, as with tunnels, PPP and cellular modems.
    public let isBare: Bool

    /// Its link-layer address; empty if it has none, or only the IP address of a tunnel's end.
    public let address: [UInt8]

    /// Length of an Ethernet header without VLAN tags.
    public static let ethernetHeaderLength = 14

    /// Reads an `RTM_NEWLINK` message; nil for any other.
    public init?(_ message: NetlinkMessage) {
        guard message.type == UInt16(RTM_NEWLINK),
            let (fixed, attributes) = message.parse(ifinfomsg.self),
            let name = attributes.string(Int(IFLA_IFNAME))
        else { return nil }
        index = fixed.ifi_index
        self.name = name
        kind = attributes.nested(Int(IFLA_LINKINFO))?.string(Int(IFLA_INFO_KIND))
        aliasBytes = attributes[Int(IFLA_IFALIAS)].map { Array($0.prefix { $0 != 0 }) } ?? []
        group = attributes.value(Int(IFLA_GROUP), as: UInt32.self) ?? 0
        mtu = attributes.value(Int(IFLA_MTU), as: UInt32.self) ?? 1500
        isUp = fixed.ifi_flags & UInt32(IFF_UP.rawValue) != 0
        isDormant = isUp && fixed.ifi_flags & UInt32(IFF_DORMANT.rawValue) != 0
        // Not IFF_RUNNING, which the kernel updates later.
        isRunning =
            isUp && !isDormant && fixed.ifi_flags & UInt32(IFF_LOWER_UP.rawValue) != 0
        hardwareType = fixed.ifi_type
        isLoopback = fixed.ifi_type == UInt16(ARPHRD_LOOPBACK)
        isBare = Self.isBare(fixed.ifi_type, attributes)
        address = isBare ? [] : attributes[Int(IFLA_ADDRESS)].map { Array($0) } ?? []
        hasEthernetHeader = [ARPHRD_ETHER, ARPHRD_LOOPBACK].contains(Int32(fixed.ifi_type))
    }

    private static func isBare(_ type: UInt16, _ attributes: Attributes) -> Bool {
        switch Int32(type) {
        case ARPHRD_NONE: attributes[Int(IFLA_ADDRESS)]?.isEmpty ?? true
        case ARPHRD_TUNNEL, ARPHRD_TUNNEL6, ARPHRD_SIT, ARPHRD_PPP, ARPHRD_RAWIP: true
        // Where packets say to which of several far ends they go, it is by a header in front.
        case ARPHRD_IPGRE, ARPHRD_IP6GRE:
            attributes[Int(IFLA_BROADCAST)].map(isUnicast) ?? false
        default: false
        }
    }

    /// Whether this is the IP address of one host.
    private static func isUnicast(_ address: ArraySlice<UInt8>) -> Bool {
        guard let first = address.first, address.contains(where: { $0 != 0 }) else { return false }
        return address.count == 4 ? first & 0xf0 != 0xe0 : first != 0xff
    }

    /// Asks for the interface called `name`. Equivalent to `ip link show dev NAME`.
    public static func get(name: String) -> NetlinkMessage {
        // Only alternative names are longer; shorter ones are found by this as well.
        let isLong = name.utf8.count >= Int(IFNAMSIZ)
        return NetlinkMessage(RTM_GETLINK, ifinfomsg()) {
            $0.put(Int(isLong ? IFLA_ALT_IFNAME : IFLA_IFNAME), name)
        }
    }

    /// Asks for the interface with this index.
    public static func get(index: Int32) -> NetlinkMessage {
        NetlinkMessage(RTM_GETLINK, header(index: index))
    }

    /// Asks for all interfaces, or those of one kind, without their statistics. Equivalent to
    /// `ip link show type KIND`.
    public static func list(kind: String? = nil) -> NetlinkMessage {
        NetlinkMessage(RTM_GETLINK, ifinfomsg()) { builder in
            builder.put(Int(IFLA_EXT_MASK), UInt32(RTEXT_FILTER_SKIP_STATS))
            if let kind {
                builder.nest(Int(IFLA_LINKINFO)) { $0.put(Int(IFLA_INFO_KIND), kind) }
            }
        }
    }

    /// Deletes the interface. Equivalent to `ip link delete`.
    public static func delete(index: Int32) -> NetlinkMessage {
        NetlinkMessage(RTM_DELLINK, header(index: index))
    }

    /// Deletes all interfaces of a group at once. Equivalent to `ip link delete group N`.
    public static func delete(group: UInt32) -> NetlinkMessage {
        NetlinkMessage(RTM_DELLINK, ifinfomsg()) { $0.put(Int(IFLA_GROUP), group) }
    }

    /// Sets the interface's alias and brings it up. Equivalent to `ip link set dev NAME alias TEXT
    /// up`.
    ///
    /// This is a separate message because the kernel ignores the alias in the one that creates.
    public static func bringUp(index: Int32, alias: String) -> NetlinkMessage {
        NetlinkMessage(RTM_NEWLINK, up(index)) { $0.put(Int(IFLA_IFALIAS), alias) }
    }

    /// Brings the interface up. Equivalent to `ip link set dev NAME up`.
    public static func bringUp(index: Int32) -> NetlinkMessage {
        NetlinkMessage(RTM_NEWLINK, up(index))
    }

    /// Takes the interface down. Equivalent to `ip link set dev NAME down`.
    public static func takeDown(index: Int32) -> NetlinkMessage {
        NetlinkMessage(RTM_NEWLINK, header(index: index, change: IFF_UP.rawValue))
    }

    /// Keeps the interface from getting an IPv6 link-local address, so that it sends no packets of
    /// its own. The kernel refuses this where IPv6 is off. Equivalent to `ip link set dev NAME
    /// addrgenmode none`.
    public static func disableAutoconfiguration(index: Int32) -> NetlinkMessage {
        NetlinkMessage(RTM_NEWLINK, header(index: index)) {
            $0.nest(Int(IFLA_AF_SPEC)) {
                $0.nest(Int(AF_INET6)) {
                    $0.put(Int(IFLA_INET6_ADDR_GEN_MODE), UInt8(IN6_ADDR_GEN_MODE_NONE.rawValue))
                }
            }
        }
    }

    /// Changes the MTU. Equivalent to `ip link set dev NAME mtu N`.
    public static func setMTU(index: Int32, _ mtu: UInt32) -> NetlinkMessage {
        NetlinkMessage(RTM_NEWLINK, header(index: index)) { $0.put(Int(IFLA_MTU), mtu) }
    }

    /// Changes the alias only. Equivalent to `ip link set dev NAME alias TEXT`.
    public static func setAlias(index: Int32, _ alias: String) -> NetlinkMessage {
        NetlinkMessage(RTM_NEWLINK, header(index: index)) { $0.put(Int(IFLA_IFALIAS), alias) }
    }

    /// Changes the alias of the interface with this name. In a batch, the message can follow the
    /// one that creates the interface. Equivalent to `ip link set dev NAME alias TEXT`.
    public static func setAlias(name: String, _ alias: String) -> NetlinkMessage {
        NetlinkMessage(RTM_NEWLINK, header(index: 0)) { builder in
            builder.put(Int(IFLA_IFNAME), name)
            builder.put(Int(IFLA_IFALIAS), alias)
        }
    }

    /// Changes the alias to bytes that need not be text, 255 at most; no bytes remove it.
    public static func setAlias(index: Int32, bytes: [UInt8]) -> NetlinkMessage {
        NetlinkMessage(RTM_NEWLINK, header(index: index)) {
            $0.put(Int(IFLA_IFALIAS), bytes: bytes)
        }
    }

    private static func up(_ index: Int32) -> ifinfomsg {
        header(index: index, flags: IFF_UP.rawValue, change: IFF_UP.rawValue)
    }

    static func header(index: Int32, flags: UInt32 = 0, change: UInt32 = 0) -> ifinfomsg {
        ifinfomsg(
            ifi_family: 0, __ifi_pad: 0, ifi_type: 0, ifi_index: index, ifi_flags: flags,
            ifi_change: change)
    }
}

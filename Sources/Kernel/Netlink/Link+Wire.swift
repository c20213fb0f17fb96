import CNetlink

extension Link {
    /// A veth pair within a namespace that carries frames of another interface and nothing else:
    /// its MTU is the largest possible, and its ends do not use ARP.
    public struct SilentWire: Sendable, Hashable {
        /// The name of the end where frames enter.
        public var near: String
        /// The name of the end where frames leave.
        public var far: String
        /// The group of both ends.
        public var group: UInt32
        /// The link-layer address of the near end; nil for any.
        public var nearAddress: [UInt8]?

        /// Describes a wire.
        public init(near: String, far: String, group: UInt32, nearAddress: [UInt8]? = nil) {
            self.near = near
            self.far = far
            self.group = group
            self.nearAddress = nearAddress
        }
    }

    /// The largest MTU of a veth.
    private static let longestPacket: UInt32 = 65_535

    /// Creates a wire. Equivalent to `ip link add NAME group G mtu 65535 arp off type veth peer
    /// name NAME group G mtu 65535 arp off`.
    public static func add(_ wire: SilentWire) -> NetlinkMessage {
        addVeth(silent, { describe(wire.near, of: wire, address: wire.nearAddress, $0) }) {
            $0.append(silent)
            describe(wire.far, of: wire, address: nil, $0)
        }
    }

    private static var silent: ifinfomsg {
        header(index: 0, flags: IFF_NOARP.rawValue, change: IFF_NOARP.rawValue)
    }

    private static func describe(
        _ name: String, of wire: SilentWire, address: [UInt8]?, _ builder: borrowing MessageBuilder
    ) {
        builder.put(Int(IFLA_IFNAME), name)
        builder.put(Int(IFLA_MTU), longestPacket)
        builder.put(Int(IFLA_GROUP), wire.group)
        if let address { builder.put(Int(IFLA_ADDRESS), bytes: address) }
    }

    /// Changes the link-layer address. Equivalent to `ip link set dev NAME address MAC`.
    public static func setAddress(index: Int32, _ address: [UInt8]) -> NetlinkMessage {
        NetlinkMessage(RTM_NEWLINK, header(index: index)) {
            $0.put(Int(IFLA_ADDRESS), bytes: address)
        }
    }

    /// Moves the interface to the network namespace of an open descriptor, and renames it there.
    /// This takes it down. It keeps its index if that is free. Equivalent to `ip link set dev NAME
    /// name NAME netns NAMESPACE`.
    public static func move(
        index: Int32, to namespace: Int32, name: String
    ) -> NetlinkMessage {
        NetlinkMessage(RTM_NEWLINK, header(index: index)) { builder in
            builder.put(Int(IFLA_NET_NS_FD), namespace)
            builder.put(Int(IFLA_IFNAME), name)
        }
    }
}

import CNetlink

extension Link {
    /// Creates an intermediate functional block: an interface whose qdisc shapes redirected
    /// packets.
    ///
    /// The caller chooses the index, so that later messages of the same batch can refer to it.
    /// Equivalent to `ip link add NAME index N group N type ifb`.
    public static func addIFB(name: String, index: Int32, group: UInt32) -> NetlinkMessage {
        add("ifb", header(index: index)) { builder in
            builder.put(Int(IFLA_IFNAME), name)
            builder.put(Int(IFLA_GROUP), group)
        }
    }

    /// Creates a veth pair. Equivalent to `ip link add NAME type veth peer name PEER`.
    public static func addVeth(name: String, peer: String) -> NetlinkMessage {
        addVeth(header(index: 0), { $0.put(Int(IFLA_IFNAME), name) }) { builder in
            builder.append(header(index: 0))
            builder.put(Int(IFLA_IFNAME), peer)
        }
    }

    /// One end of a veth pair between two namespaces.
    public struct WireEnd: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// Its index, which must be free. Later messages of the same batch can refer to it.
        public var index: Int32

        /// Makes an end.
        public init(name: String, index: Int32) {
            self.name = name
            self.index = index
        }
    }

    /// Creates a veth pair whose second end is in another network namespace, given by an open
    /// descriptor. Equivalent to `ip link add NAME index N type veth peer name NAME index N netns
    /// NAMESPACE`.
    ///
    /// - Parameter address: the link-layer address of the second end; nil for any.
    public static func addVeth(
        _ near: WireEnd, to far: WireEnd, namespace: Int32, address: [UInt8]? = nil
    ) -> NetlinkMessage {
        addVeth(header(index: near.index), { $0.put(Int(IFLA_IFNAME), near.name) }) { builder in
            builder.append(header(index: far.index))
            builder.put(Int(IFLA_IFNAME), far.name)
            builder.put(Int(IFLA_NET_NS_FD), namespace)
            if let address { builder.put(Int(IFLA_ADDRESS), bytes: address) }
        }
    }

    /// Creates a bridge without multicast snooping, so that it sends no packets of its own.
    /// Equivalent to `ip link add NAME index N type bridge mcast_snooping 0`.
    public static func addBridge(_ end: WireEnd) -> NetlinkMessage {
        add("bridge", header(index: end.index)) {
            $0.put(Int(IFLA_IFNAME), end.name)
        } data: {
            $0.put(Int(IFLA_BR_MCAST_SNOOPING), 0 as UInt8)
        }
    }

    /// Makes the interface a port of a bridge. Equivalent to `ip link set dev NAME master BRIDGE`.
    public static func join(index: Int32, bridge: Int32) -> NetlinkMessage {
        NetlinkMessage(RTM_NEWLINK, header(index: index)) { $0.put(Int(IFLA_MASTER), bridge) }
    }

    /// Isolates a bridge port from other isolated ports, and sends it only frames for addresses
    /// known to be behind it. Equivalent to
    /// `ip link set dev NAME type bridge_slave isolated on flood off mcast_flood off bcast_flood
    /// off`.
    public static func isolate(index: Int32) -> NetlinkMessage {
        NetlinkMessage(RTM_NEWLINK, header(index: index)) { builder in
            builder.nest(Int(IFLA_LINKINFO)) { builder in
                builder.put(Int(IFLA_INFO_SLAVE_KIND), "bridge")
                builder.nest(Int(IFLA_INFO_SLAVE_DATA)) { builder in
                    builder.put(Int(IFLA_BRPORT_ISOLATED), 1 as UInt8)
                    for flood in [
                        IFLA_BRPORT_UNICAST_FLOOD, IFLA_BRPORT_MCAST_FLOOD, IFLA_BRPORT_BCAST_FLOOD,
                    ] {
                        builder.put(Int(flood), 0 as UInt8)
                    }
                }
            }
        }
    }

    /// Creates a veth pair, whose second end `peer` describes from its fixed part on.
    ///
    /// It uses one queue in each direction either way. By default, the kernel makes an end with one
    /// for each processor first and then takes the others away, for which it waits each time until
    /// all processors have seen it (RCU), which takes milliseconds.
    static func addVeth(
        _ header: ifinfomsg, _ attributes: (borrowing MessageBuilder) -> Void,
        peer: (borrowing MessageBuilder) -> Void
    ) -> NetlinkMessage {
        add("veth", header) {
            attributes($0)
            putSingleQueues($0)
        } data: {
            $0.nest(Int(VETH_INFO_PEER)) {
                peer($0)
                putSingleQueues($0)
            }
        }
    }

    private static func putSingleQueues(_ builder: borrowing MessageBuilder) {
        builder.put(Int(IFLA_NUM_TX_QUEUES), 1 as UInt32)
        builder.put(Int(IFLA_NUM_RX_QUEUES), 1 as UInt32)
    }

    /// Creates an interface of a kind, which takes `data`.
    private static func add(
        _ kind: String, _ header: ifinfomsg, _ attributes: (borrowing MessageBuilder) -> Void,
        data: (borrowing MessageBuilder) -> Void = { _ in }
    ) -> NetlinkMessage {
        NetlinkMessage(RTM_NEWLINK, flags: NLM_F_CREATE | NLM_F_EXCL, header) { builder in
            attributes(builder)
            builder.nest(Int(IFLA_LINKINFO)) { builder in
                builder.put(Int(IFLA_INFO_KIND), kind)
                builder.nest(Int(IFLA_INFO_DATA), data)
            }
        }
    }
}

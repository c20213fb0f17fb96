import CNetlink

extension Link {
    /// Creates an intermediate functional block: an interface whose qdisc shapes redirected
    /// packets.
    ///
    /// The caller chooses the index, so that later messages of the same batch can refer to it.
    /// Equivalent to `ip link add NAME index N group N type ifb`.
    public static func addIFB(name: String, index: Int32, group: UInt32) -> NetlinkMessage {
        guard let link = unsafe rtnl_link_alloc() else {
            preconditionFailure("there is memory for a link")
        }
        defer { unsafe rtnl_link_put(link) }
        unsafe rtnl_link_set_name(link, name)
        unsafe rtnl_link_set_ifindex(link, index)
        unsafe rtnl_link_set_group(link, group)
        unsafe rtnl_link_set_type(link, "ifb")
        return unsafe addRequest(link)
    }

    /// Creates a veth pair. Equivalent to `ip link add NAME type veth peer name PEER`.
    public static func addVeth(name: String, peer peerName: String) -> NetlinkMessage {
        guard let link = unsafe rtnl_link_veth_alloc(),
            let peer = unsafe rtnl_link_veth_get_peer(link)
        else { preconditionFailure("there is memory for a pair of links") }
        defer {
            unsafe rtnl_link_put(peer)
            unsafe rtnl_link_put(link)
        }
        unsafe rtnl_link_set_name(link, name)
        unsafe rtnl_link_set_name(peer, peerName)
        return unsafe addRequest(link)
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
        let builder = MessageBuilder(type: RTM_NEWLINK, flags: Int(NLM_F_CREATE | NLM_F_EXCL))
        builder.append(header(index: near.index))
        builder.put(Int(IFLA_IFNAME), near.name)
        builder.nest(Int(IFLA_LINKINFO)) { builder in
            builder.put(Int(IFLA_INFO_KIND), "veth")
            builder.nest(Int(IFLA_INFO_DATA)) { builder in
                builder.nest(Int(VETH_INFO_PEER)) { builder in
                    builder.append(header(index: far.index))
                    builder.put(Int(IFLA_IFNAME), far.name)
                    builder.put(Int(IFLA_NET_NS_FD), namespace)
                    if let address { builder.put(Int(IFLA_ADDRESS), bytes: address) }
                }
            }
        }
        return builder.finish()
    }

    /// Creates a bridge without multicast snooping, so that it sends no packets of its own.
    /// Equivalent to `ip link add NAME index N type bridge mcast_snooping 0`.
    public static func addBridge(_ end: WireEnd) -> NetlinkMessage {
        let builder = MessageBuilder(type: RTM_NEWLINK, flags: Int(NLM_F_CREATE | NLM_F_EXCL))
        builder.append(header(index: end.index))
        builder.put(Int(IFLA_IFNAME), end.name)
        builder.nest(Int(IFLA_LINKINFO)) { builder in
            builder.put(Int(IFLA_INFO_KIND), "bridge")
            builder.nest(Int(IFLA_INFO_DATA)) {
                $0.put(Int(IFLA_BR_MCAST_SNOOPING), 0 as UInt8)
            }
        }
        return builder.finish()
    }

    /// Makes the interface a port of a bridge. Equivalent to `ip link set dev NAME master BRIDGE`.
    public static func join(index: Int32, bridge: Int32) -> NetlinkMessage {
        let builder = MessageBuilder(type: RTM_NEWLINK)
        builder.append(header(index: index))
        builder.put(Int(IFLA_MASTER), bridge)
        return builder.finish()
    }

    /// Isolates a bridge port from other isolated ports, and sends it only frames for addresses
    /// known to be behind it. Equivalent to
    /// `ip link set dev NAME type bridge_slave isolated on flood off mcast_flood off bcast_flood
    /// off`.
    public static func isolate(index: Int32) -> NetlinkMessage {
        let builder = MessageBuilder(type: RTM_NEWLINK)
        builder.append(header(index: index))
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
        return builder.finish()
    }

    private static func addRequest(_ link: OpaquePointer) -> NetlinkMessage {
        var message: OpaquePointer?
        let status = unsafe rtnl_link_build_add_request(
            link, Int32(NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL), &message)
        guard status == 0, let message = unsafe message else {
            preconditionFailure("libnl encodes links of kinds it knows")
        }
        defer { unsafe nlmsg_free(message) }
        return unsafe MessageBuilder.copy(message)
    }
}

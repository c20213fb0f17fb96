import CNetlink

extension Link {
    /// Makes an intermediate functional block: an interface that gives packets of others a qdisc.
    ///
    /// The caller chooses the index, so that later messages of the same batch can name it.
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

    /// Makes two interfaces joined by a wire. Equivalent to
    /// `ip link add NAME type veth peer name PEER`.
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

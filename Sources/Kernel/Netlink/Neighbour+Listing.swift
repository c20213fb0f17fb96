import CNetlink
public import LinuxKernel

/// An entry of the kernel's neighbour table for an Ethernet.
public struct KnownNeighbour: Sendable, Hashable {
    /// Its address.
    public let address: IPAddress
    /// Whether the kernel is resolving its link-layer address now, and queues packets for it
    /// meanwhile.
    public let isSought: Bool

    /// Reads a reply to `list()`; nil for another message, and for multicast addresses and the host
    /// itself, which need no resolution.
    init?(_ message: NetlinkMessage) {
        guard let (fixed, attributes) = message.parse(ndmsg.self),
            fixed.ndm_state & UInt16(NUD_NOARP) == 0,
            let address = attributes[Int(NDA_DST)].flatMap({ IPAddress(bytes: $0) })
        else { return nil }
        self.address = address
        isSought = fixed.ndm_state & UInt16(NUD_INCOMPLETE) != 0
    }

    /// Asks for all neighbours. Equivalent to `ip neighbour` for IPv4 and IPv6.
    static func list() -> NetlinkMessage {
        NetlinkMessage(RTM_GETNEIGH, ndmsg())
    }
}

extension NetlinkSession {
    /// The Ethernet neighbours to which the kernel has sent something or wants to.
    public func neighbours() throws(NetlinkError) -> [KnownNeighbour] {
        try dump(KnownNeighbour.list(), attempt: "list the neighbours")
            .compactMap(KnownNeighbour.init)
    }
}

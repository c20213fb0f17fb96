import CNetlink
public import LinuxKernel

/// An entry of the kernel's neighbour table for an Ethernet.
public struct KnownNeighbour: Sendable, Hashable {
    /// The index of the interface that leads to it.
    public let interface: Int32
    /// Its address.
    public let address: IPAddress
    /// Its link-layer address; empty if the kernel does not know it.
    public let linkLayerAddress: [UInt8]
    /// Whether it did not answer when the kernel asked for it last.
    public let hasFailed: Bool
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
        interface = fixed.ndm_ifindex
        linkLayerAddress = attributes[Int(NDA_LLADDR)].map { Array($0) } ?? []
        hasFailed = fixed.ndm_state & UInt16(NUD_FAILED) != 0
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

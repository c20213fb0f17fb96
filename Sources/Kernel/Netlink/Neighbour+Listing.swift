import CNetlink
public import LinuxKernel

/// A neighbour on an Ethernet, as the kernel knows it.
public struct KnownNeighbour: Sendable, Hashable {
    /// Its address.
    public let address: IPAddress
    /// Whether the kernel asks for its address on the link layer at the moment, and keeps what is
    /// for it meanwhile.
    public let isSought: Bool

    /// Reads the answer to `list()`; nil for another message, and for a group or the host itself,
    /// whose addresses on the link layer nobody has to ask for.
    init?(_ message: NetlinkMessage) {
        guard let (fixed, attributes) = message.parse(ndmsg.self),
            fixed.ndm_state & UInt16(NUD_NOARP) == 0,
            let address = attributes[Int(NDA_DST)].flatMap({ IPAddress(bytes: $0) })
        else { return nil }
        self.address = address
        isSought = fixed.ndm_state & UInt16(NUD_INCOMPLETE) != 0
    }

    /// Asks for all of them. Equivalent to `ip neighbour` for IPv4 and IPv6.
    static func list() -> NetlinkMessage {
        let builder = MessageBuilder(type: RTM_GETNEIGH)
        builder.append(ndmsg())
        return builder.finish()
    }
}

extension NetlinkSession {
    /// Whoever the kernel has sent something to, or wants to, over an Ethernet.
    public func neighbours() throws(NetlinkError) -> [KnownNeighbour] {
        try dump(KnownNeighbour.list(), attempt: "list the neighbours")
            .compactMap(KnownNeighbour.init)
    }
}

import CNetlink
public import LinuxKernel

/// Static link-layer addresses, for interfaces that must not send ARP or neighbour solicitations.
public enum Neighbour {
    /// Tells the host which link-layer address a neighbour has. Equivalent to
    /// `ip neighbour add ADDRESS lladdr MAC dev NAME nud permanent`.
    public static func add(
        _ address: IPAddress, at linkLayerAddress: [UInt8], on interface: Int32
    ) -> NetlinkMessage {
        add(family: address.family, interface, state: NUD_PERMANENT, flags: 0) { builder in
            builder.put(Int(NDA_DST), bytes: address.bytes)
            builder.put(Int(NDA_LLADDR), bytes: linkLayerAddress)
        }
    }

    /// Tells a bridge behind which of its ports a link-layer address is. Equivalent to
    /// `bridge fdb add MAC dev PORT master static`.
    public static func add(_ linkLayerAddress: [UInt8], behindPort port: Int32) -> NetlinkMessage {
        add(family: UInt8(AF_BRIDGE), port, state: NUD_NOARP, flags: NTF_MASTER) { builder in
            builder.put(Int(NDA_LLADDR), bytes: linkLayerAddress)
        }
    }

    private static func add(
        family: UInt8, _ interface: Int32, state: Int32, flags: Int32,
        _ attributes: (borrowing MessageBuilder) -> Void
    ) -> NetlinkMessage {
        var header = ndmsg()
        header.ndm_family = family
        header.ndm_ifindex = interface
        header.ndm_state = UInt16(state)
        header.ndm_flags = UInt8(flags)
        return NetlinkMessage(
            RTM_NEWNEIGH, flags: NLM_F_CREATE | NLM_F_EXCL, header, attributes)
    }
}

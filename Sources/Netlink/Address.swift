import CNetlink
public import LinuxKernel

/// Addresses of interfaces.
public enum Address {
    /// Gives the interface an address in a network of `prefixLength` bits.
    ///
    /// It is in use at once: duplicates of IPv6 addresses are not looked for. Equivalent to
    /// `ip address add ADDRESS/PREFIX dev NAME nodad`.
    public static func add(
        _ address: IPAddress, prefixLength: UInt8, to interface: Int32
    ) -> NetlinkMessage {
        let builder = MessageBuilder(type: RTM_NEWADDR, flags: Int(NLM_F_CREATE | NLM_F_EXCL))
        var header = ifaddrmsg()
        header.ifa_family = address.family
        header.ifa_prefixlen = prefixLength
        header.ifa_flags = address.isIPv6 ? UInt8(IFA_F_NODAD) : 0
        header.ifa_index = UInt32(interface)
        builder.append(header)
        builder.put(Int(IFA_LOCAL), bytes: address.bytes)
        builder.put(Int(IFA_ADDRESS), bytes: address.bytes)
        return builder.finish()
    }
}

extension NetlinkSession {
    /// The addresses of all interfaces. Equivalent to `ip address`.
    public func addresses() throws(NetlinkError) -> [IPAddress] {
        let builder = MessageBuilder(type: RTM_GETADDR)
        builder.append(ifaddrmsg())
        return try dump(builder.finish(), attempt: "list the addresses").compactMap { message in
            guard message.type == UInt16(RTM_NEWADDR),
                let (_, attributes) = message.parse(ifaddrmsg.self)
            else { return nil }
            return (attributes[Int(IFA_LOCAL)] ?? attributes[Int(IFA_ADDRESS)])
                .flatMap { IPAddress(bytes: Array($0)) }
        }
    }
}

extension IPAddress {
    /// The family as netlink messages name it.
    var family: UInt8 { UInt8(isIPv6 ? AF_INET6 : AF_INET) }
}

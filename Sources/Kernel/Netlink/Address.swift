import CNetlink
public import LinuxKernel

/// IP addresses of interfaces.
public enum Address {
    /// Adds an address with a prefix of `prefixLength` bits to the interface.
    ///
    /// The address is usable at once: the kernel skips duplicate address detection for IPv6.
    /// Equivalent to `ip address add ADDRESS/PREFIX dev NAME nodad`.
    public static func add(
        _ address: IPAddress, prefixLength: UInt8, to interface: Int32
    ) -> NetlinkMessage {
        change(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, address, prefixLength, interface)
    }

    /// Removes the address from the interface. Equivalent to `ip address delete ADDRESS/PREFIX dev
    /// NAME`.
    public static func delete(
        _ address: IPAddress, prefixLength: UInt8, from interface: Int32
    ) -> NetlinkMessage {
        change(RTM_DELADDR, 0, address, prefixLength, interface)
    }

    private static func change(
        _ type: Int, _ flags: Int32, _ address: IPAddress, _ prefixLength: UInt8, _ interface: Int32
    ) -> NetlinkMessage {
        let header = ifaddrmsg(
            ifa_family: address.family, ifa_prefixlen: prefixLength,
            ifa_flags: address.isIPv6 ? UInt8(IFA_F_NODAD) : 0, ifa_scope: 0,
            ifa_index: UInt32(interface))
        return NetlinkMessage(type, flags: flags, header) { builder in
            builder.put(Int(IFA_LOCAL), bytes: address.bytes)
            builder.put(Int(IFA_ADDRESS), bytes: address.bytes)
        }
    }
}

extension NetlinkSession {
    /// The addresses of all interfaces. Equivalent to `ip address`.
    public func addresses() throws(NetlinkError) -> [IPAddress] {
        try interfaceAddresses().map(\.address)
    }

    /// The addresses of all interfaces with their properties. Equivalent to `ip address`.
    public func interfaceAddresses() throws(NetlinkError) -> [InterfaceAddress] {
        try dump(NetlinkMessage(RTM_GETADDR, ifaddrmsg()), attempt: "list the addresses")
            .compactMap(InterfaceAddress.init)
    }
}

/// An address that an interface has.
public struct InterfaceAddress: Sendable, Hashable {
    /// The index of the interface.
    public let interface: Int32
    /// The address.
    public let address: IPAddress
    /// How many bits of it its network has.
    public let prefixLength: UInt8
    /// Whether it is valid on this link only, such as one of `fe80::/10`.
    public let isLinkLocal: Bool
    /// Whether it may be used: duplicate address detection is over and found no other host with it.
    public let isUsable: Bool

    /// Reads an `RTM_NEWADDR` message; nil for any other.
    public init?(_ message: NetlinkMessage) {
        guard message.type == UInt16(RTM_NEWADDR),
            let (fixed, attributes) = message.parse(ifaddrmsg.self),
            let bytes = attributes[Int(IFA_LOCAL)] ?? attributes[Int(IFA_ADDRESS)],
            let address = IPAddress(bytes: Array(bytes))
        else { return nil }
        interface = Int32(bitPattern: fixed.ifa_index)
        self.address = address
        prefixLength = fixed.ifa_prefixlen
        isLinkLocal = fixed.ifa_scope == UInt8(RT_SCOPE_LINK.rawValue)
        let flags =
            attributes.value(Int(IFA_FLAGS), as: UInt32.self) ?? UInt32(fixed.ifa_flags)
        let isOptimistic = flags & UInt32(IFA_F_OPTIMISTIC) != 0
        isUsable =
            flags & UInt32(IFA_F_DADFAILED) == 0
            && (flags & UInt32(IFA_F_TENTATIVE) == 0 || isOptimistic)
    }
}

extension IPAddress {
    /// The address family in netlink messages.
    var family: UInt8 { UInt8(isIPv6 ? AF_INET6 : AF_INET) }
}

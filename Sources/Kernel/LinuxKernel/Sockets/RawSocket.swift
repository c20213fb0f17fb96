import CLinux
public import SystemPackage

/// Sends IP packets that were made by hand, with any source address.
///
/// Takes `CAP_NET_RAW` and `CAP_NET_ADMIN` in the network namespace of the calling thread to
/// make, and nothing to use.
public struct RawSender: ~Copyable, Sendable {
    private let owned: OwnedDescriptor

    /// The descriptor, for handing it to another process.
    public var descriptor: FileDescriptor { owned.raw }

    /// Makes a sender whose packets carry `mark`, by which rules can tell them.
    public init(isIPv6: Bool, mark: UInt32) throws(Errno) {
        owned = try OwnedDescriptor(status: lc_raw_sender(isIPv6 ? 1 : 0, mark))
    }

    /// Takes charge of a sender that another process made.
    public init(adopting owned: consuming OwnedDescriptor) {
        self.owned = owned
    }

    /// Sends a packet that begins with its IP header. The kernel fills in the header's checksum.
    public borrowing func send(_ packet: [UInt8], to address: IPAddress) throws(Errno) {
        try checked(
            unsafe lc_send_raw(
                owned.raw.rawValue, packet, packet.count, Endpoint(address, port: 0).shim))
    }
}

/// Sees TCP connection requests and ICMP echo requests as they arrive at an interface, before
/// any rule drops them.
///
/// Takes `CAP_NET_RAW` in the network namespace of the calling thread to make, and nothing to
/// use.
public struct RequestTap: ~Copyable, Sendable {
    private let owned: OwnedDescriptor

    /// The descriptor, for an `EventQueue`.
    public var descriptor: FileDescriptor { owned.raw }

    /// Taps the interface with this index.
    public init(interface: Int32) throws(Errno) {
        owned = try OwnedDescriptor(status: lc_packet_tap(UInt32(bitPattern: interface)))
    }

    /// Takes charge of a tap that another process made.
    public init(adopting owned: consuming OwnedDescriptor) {
        self.owned = owned
    }

    /// Reads the next packet into `buffer`: its length, and whether the checksum of its transport
    /// header is still to be filled in.
    public borrowing func receive(
        into buffer: inout [UInt8]
    ) throws(Errno) -> (count: Int, isUnfinished: Bool) {
        var isUnfinished: Int32 = 0
        let count = try checked(
            unsafe lc_receive_tapped(owned.raw.rawValue, &buffer, buffer.count, &isUnfinished))
        return (Int(count), isUnfinished != 0)
    }

    /// How many packets the tap had to drop until now for want of room.
    public var dropped: UInt64 { SocketDrops.count(of: owned.number) }
}

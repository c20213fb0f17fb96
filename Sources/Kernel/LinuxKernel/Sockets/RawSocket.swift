import CLinux
public import SystemPackage

/// Sends complete IP packets with any source address.
///
/// Creating it requires `CAP_NET_RAW` and `CAP_NET_ADMIN` in the network namespace of the calling
/// thread; using it requires nothing.
public struct RawSender: ~Copyable, Sendable {
    private let owned: OwnedDescriptor

    /// The descriptor, for passing it to another process.
    public var descriptor: FileDescriptor { owned.raw }

    /// Makes a sender whose packets carry `mark`, by which rules recognise them.
    public init(isIPv6: Bool, mark: UInt32) throws(Errno) {
        owned = try OwnedDescriptor(status: lc_raw_sender(isIPv6 ? 1 : 0, mark))
    }

    /// Takes ownership of a sender that another process created.
    public init(adopting owned: consuming OwnedDescriptor) {
        self.owned = owned
    }

    /// Sends a packet that starts with its IP header. The kernel fills in the header's checksum.
    public borrowing func send(_ packet: [UInt8], to address: IPAddress) throws(Errno) {
        try checked(
            unsafe lc_send_raw(
                owned.raw.rawValue, packet, packet.count, Endpoint(address, port: 0).shim))
    }
}

/// Receives TCP connection requests, ICMP echo requests, and the beginning of packets of protocols
/// other than TCP, UDP and ICMP, as they arrive at an interface, before any rule drops them.
///
/// Creating it requires `CAP_NET_RAW` in the network namespace of the calling thread; using it
/// requires nothing.
public struct RequestTap: ~Copyable, Sendable {
    private let owned: OwnedDescriptor

    /// The descriptor, for an `EventQueue`.
    public var descriptor: FileDescriptor { owned.raw }

    /// Taps the interface with this index.
    public init(interface: Int32) throws(Errno) {
        owned = try OwnedDescriptor(status: lc_packet_tap(UInt32(bitPattern: interface)))
    }

    /// Takes ownership of a tap that another process created.
    public init(adopting owned: consuming OwnedDescriptor) {
        self.owned = owned
    }

    /// Reads the next packet into `buffer`: returns its length, and whether its transport checksum
    /// is still unfinished.
    public borrowing func receive(
        into buffer: inout [UInt8]
    ) throws(Errno) -> (count: Int, isUnfinished: Bool) {
        var isUnfinished: Int32 = 0
        let count = try checked(
            unsafe lc_receive_tapped(owned.raw.rawValue, &buffer, buffer.count, &isUnfinished))
        return (Int(count), isUnfinished != 0)
    }

    /// How many packets the tap has dropped so far for lack of buffer space.
    public var dropped: UInt64 { SocketDrops.count(of: owned.number) }
}

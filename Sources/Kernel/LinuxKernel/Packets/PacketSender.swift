import CLinux
import Glibc
public import SystemPackage

/// Sends frames to an interface, each with a `virtio_net_hdr` in front (`PACKET_VNET_HDR`).
public struct PacketSender: ~Copyable, Sendable {
    private let socket: OwnedDescriptor

    /// Opens a packet socket on an interface of the calling thread's network namespace.
    ///
    /// Requires `CAP_NET_RAW` there.
    ///
    /// - Parameters:
    ///   - bypassesQdisc: whether frames bypass the interface's qdisc (`PACKET_QDISC_BYPASS`).
    ///   - mark: a mark by which filters recognise the frames (`SO_MARK`, which also requires
    ///     `CAP_NET_ADMIN`); zero for none.
    public init(interface: Int32, bypassesQdisc: Bool, mark: UInt32 = 0) throws(KernelError) {
        socket = try OwnedDescriptor(
            lc_packet_sender(interface, bypassesQdisc ? 1 : 0, mark),
            creating: "a packet socket that sends to interface \(interface)")
    }

    /// Sends the frames of `batch` without blocking, in one system call, and removes those sent.
    ///
    /// - Returns: how many frames were sent. Frames after a failed one are not tried.
    /// - Throws: why the first could not be sent; it is still in the batch.
    public func send(_ batch: inout SendBatch) throws(Errno) -> Int {
        guard !batch.isEmpty else { return 0 }
        let result = unsafe lc_packet_send(
            socket.number, batch.pieces + 2 * batch.first, UInt32(batch.count))
        guard result >= 0 else { throw Errno(rawValue: -result) }
        batch.removeFirst(Int(result))
        return Int(result)
    }
}

/// Sends IP packets to the host itself, from any source address.
///
/// The kernel routes them like any socket's packets. They arrive on the loopback like packets that
/// the kernel sent there, and need no special setting to be accepted. Does not support
/// super-packets or unfinished checksums.
public struct LocalSender: ~Copyable, Sendable {
    private let ipv4: OwnedDescriptor
    /// Nil if the kernel has no IPv6, and so there are no IPv6 packets.
    private let ipv6: OwnedDescriptor?
    /// Its number, or an invalid one if it is nil.
    private let ipv6Number: Int32

    /// Opens raw sockets in the calling thread's network namespace.
    ///
    /// Requires `CAP_NET_RAW` and `CAP_NET_ADMIN` there.
    ///
    /// - Parameter mark: a mark by which filters recognise the packets (`SO_MARK`).
    public init(mark: UInt32) throws(KernelError) {
        ipv4 = try OwnedDescriptor(
            lc_raw_sender(0, mark), creating: "a raw socket that sends to the host itself")
        let number = lc_raw_sender(1, mark)
        ipv6 = try? OwnedDescriptor(status: number)
        ipv6Number = max(-1, number)
    }

    /// Sends packets that start with their IP header, without blocking, in one system call, and
    /// removes those sent.
    ///
    /// - Returns: how many packets were sent. There may be more to send.
    /// - Throws: why the first could not be sent; it is still in the batch.
    public func send(_ batch: inout SendBatch) throws(Errno) -> Int {
        guard !batch.isEmpty else { return 0 }
        let sent = try checked(
            unsafe lc_local_send(
                ipv4.number, ipv6Number, batch.pieces + 2 * batch.first,
                UInt32(batch.count)))
        batch.removeFirst(Int(sent))
        return Int(sent)
    }
}

/// Frames for one system call, in order.
@safe
public struct SendBatch: ~Copyable {
    /// The most frames in a batch.
    public static let capacity = Int(LC_PACKET_BATCH)

    fileprivate let pieces: UnsafeMutablePointer<iovec>
    fileprivate private(set) var first = 0
    private var end = 0

    /// Makes an empty batch.
    public init() {
        unsafe pieces = .allocate(capacity: 2 * Self.capacity)
        unsafe pieces.initialize(repeating: iovec(), count: 2 * Self.capacity)
    }

    deinit { unsafe pieces.deallocate() }

    /// How many frames are in the batch.
    public var count: Int { end - first }

    /// Whether the batch is empty.
    public var isEmpty: Bool { first == end }

    /// Whether another frame fits.
    public var hasRoom: Bool { end < Self.capacity }

    /// Adds a frame: the bytes in `head`, followed by those in `rest`.
    ///
    /// `memory` and these bytes must stay until the frame is removed from the batch.
    public mutating func append(
        from memory: borrowing FrameMemory, head: Range<Int>, rest: Range<Int>
    ) {
        precondition(hasRoom, "the caller sends a full batch before it adds to it")
        unsafe pieces[2 * end] = iovec(memory.pointer(to: head))
        unsafe pieces[2 * end + 1] = iovec(memory.pointer(to: rest))
        end += 1
    }

    /// Removes frames that were sent or given up.
    public mutating func removeFirst(_ number: Int) {
        precondition(number <= count, "what was sent was there")
        first += number
        if isEmpty { (first, end) = (0, 0) }
    }
}

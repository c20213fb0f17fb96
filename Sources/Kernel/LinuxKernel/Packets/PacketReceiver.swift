import CLinux
import Glibc
public import SystemPackage

/// A received frame. Its bytes are where the batch was told to put them.
public struct ReceivedFrame: Sendable, Hashable {
    /// The 802.1Q tag that the kernel removed from the frame.
    public struct Tag: Sendable, Hashable {
        /// The EtherType of the tag, 0x8100 or 0x88a8.
        public var etherType: UInt16
        /// Priority and VLAN.
        public var control: UInt16

        /// Makes a tag.
        public init(etherType: UInt16, control: UInt16) {
            self.etherType = etherType
            self.control = control
        }
    }

    /// The number of bytes written, including the `virtio_net_hdr` in front.
    public var count: Int
    /// The tag to put back.
    public var tag: Tag?
    /// When it arrived at the interface, by `KernelClock.monotonic`; nil if unknown.
    public var arrival: Duration?
    /// Whether it did not fit its buffers.
    public var isTruncated: Bool
}

/// Receives all frames that arrive at an interface, with a `virtio_net_hdr` (`PACKET_VNET_HDR`)
/// that tells whether the checksum is unfinished and whether the frame is a super-packet.
///
/// Uses several sockets where the system allows only a small buffer (`net.core.rmem_max`).
public struct PacketReceiver: ~Copyable, Sendable {
    let descriptors: [Int32]
    /// The index of the socket with the oldest frames.
    private var current = 0
    private var wasFull = false

    /// Opens packet sockets on an interface of the calling thread's network namespace.
    ///
    /// Requires `CAP_NET_RAW` there. Outgoing frames are not received.
    public init(interface: Int32) throws(KernelError) {
        var descriptors = [Int32](repeating: -1, count: Int(LC_PACKET_SOCKETS))
        let count = unsafe lc_packet_receiver(interface, &descriptors)
        guard count > 0 else {
            throw KernelError(
                .create, subject: "a packet socket that receives from interface \(interface)",
                errno: Errno(rawValue: -count))
        }
        self.descriptors = Array(descriptors.prefix(Int(count)))
    }

    /// Opens one packet socket that receives what the interface sends, too.
    ///
    /// Requires `CAP_NET_RAW` there.
    public init(witnessing interface: Int32) throws(KernelError) {
        let descriptor = lc_packet_witness(interface)
        guard descriptor >= 0 else {
            throw KernelError(
                .create, subject: "a packet socket that listens to interface \(interface)",
                errno: Errno(rawValue: -descriptor))
        }
        descriptors = [descriptor]
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    /// How many frames were dropped since the last call for lack of buffer space.
    public func takeDrops() -> Int {
        descriptors.reduce(0) { $0 + max(0, Int(lc_packet_drops($1))) }
    }

    /// Whether a frame waits to be received.
    public func hasFrames() -> Bool {
        unsafe lc_packet_oldest(descriptors, Int32(descriptors.count)) >= 0
    }

    /// Receives the available frames without blocking.
    ///
    /// - Parameter isExpectant: whether a frame is likely to have arrived.
    /// - Returns: how many frames `batch` now has.
    /// - Throws: the kernel's reason; having no frame is not an error.
    public mutating func receive(
        into batch: inout ReceiveBatch, isExpectant: Bool = true
    ) throws(Errno) -> Int {
        guard descriptors.count > 1 else { return try batch.receive(from: descriptors[0]) }
        // A socket that always has more must not starve another.
        if wasFull { chooseOldest() }
        var count = try batch.receive(from: descriptors[current])
        if count == 0, isExpectant, !wasFull {
            chooseOldest()
            count = try batch.receive(from: descriptors[current])
        }
        wasFull = count == ReceiveBatch.capacity
        return count
    }

    private mutating func chooseOldest() {
        let oldest = unsafe lc_packet_oldest(descriptors, Int32(descriptors.count))
        if oldest >= 0 { current = Int(oldest) }
    }
}

/// Buffers for the frames of one system call.
@safe
public struct ReceiveBatch: ~Copyable {
    /// The most frames per call.
    public static let capacity = Int(LC_PACKET_BATCH)

    private let pieces: UnsafeMutablePointer<iovec>
    private let frames: UnsafeMutablePointer<lc_frame>
    private var arrivals = [Duration?](repeating: nil, count: Self.capacity)
    private var latestArrival = Duration.zero

    /// Makes a batch whose frames have no buffers yet.
    public init() {
        unsafe pieces = .allocate(capacity: 2 * Self.capacity)
        unsafe pieces.initialize(repeating: iovec(), count: 2 * Self.capacity)
        unsafe frames = .allocate(capacity: Self.capacity)
        unsafe frames.initialize(repeating: lc_frame(), count: Self.capacity)
    }

    deinit {
        unsafe pieces.deallocate()
        unsafe frames.deallocate()
    }

    /// Sets the buffers of frame `index`: first `head`, then `rest` for what does not fit.
    ///
    /// `memory` must live as long as the batch is used.
    public mutating func place(
        _ index: Int, in memory: borrowing FrameMemory, head: Range<Int>, rest: Range<Int>
    ) {
        precondition(index >= 0 && index < Self.capacity, "a batch has 64 frames")
        unsafe pieces[2 * index] = iovec(memory.pointer(to: head))
        unsafe pieces[2 * index + 1] = iovec(memory.pointer(to: rest))
    }

    /// Receives what a socket has, without blocking; returns the number of frames.
    mutating func receive(from descriptor: Int32) throws(Errno) -> Int {
        let result = unsafe lc_packet_receive(descriptor, pieces, UInt32(Self.capacity), frames)
        guard result < 0 else {
            noteArrivals(Int(result))
            return Int(result)
        }
        guard result == -EAGAIN || result == -EINTR else { throw Errno(rawValue: -result) }
        return 0
    }

    /// Tells the kernel's times by the clock that never jumps.
    ///
    /// They are of the other one. Somebody may have set it since, so the results must be checked. The
    /// clocks are read in this order so that an interruption in between makes frames appear later, not
    /// earlier.
    private mutating func noteArrivals(_ count: Int) {
        guard count > 0 else { return }
        let realtime = KernelClock.realtime
        let now = KernelClock.monotonic
        for index in 0..<count {
            let time = unsafe frames[index].realtime
            guard time != 0 else {
                arrivals[index] = nil
                continue
            }
            latestArrival = max(latestArrival, min(now, .nanoseconds(time) - (realtime - now)))
            arrivals[index] = latestArrival
        }
    }

    /// A frame of the last call.
    public subscript(index: Int) -> ReceivedFrame {
        precondition(index >= 0 && index < Self.capacity, "a batch has 64 frames")
        let frame = unsafe frames[index]
        return ReceivedFrame(
            count: Int(frame.length),
            tag: frame.vlan_protocol == 0
                ? nil
                : ReceivedFrame.Tag(
                    etherType: frame.vlan_protocol, control: frame.vlan_tci),
            arrival: arrivals[index],
            isTruncated: frame.is_truncated != 0)
    }
}

extension iovec {
    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        unsafe self.init(iov_base: buffer.baseAddress, iov_len: buffer.count)
    }
}

public import LinkUnits
public import LinuxKernel
public import SystemPackage

/// One frame that arrived at an interface: a packet, or several of one flow that the network card
/// or the kernel has merged (GRO).
public struct PacketArrival: Sendable, Hashable {
    /// The acknowledgement of a TCP packet, for data sent in the other direction.
    public struct Acknowledgement: Sendable, Hashable {
        /// Equal for all packets of a connection in one direction.
        public var connection: UInt32
        /// The sequence number of the next expected byte.
        public var number: UInt32
    }

    /// When the kernel received it, by `KernelClock.monotonic`.
    public var time: Duration
    /// The length of its packets from the IP header on, with the headers of each.
    public var length: ByteCount
    /// What it acknowledges, if it is TCP.
    public var acknowledgement: Acknowledgement?
}

/// Listens to packets that arrive at an interface, without affecting them.
public struct ArrivalListener: ~Copyable {
    private var receiver: PacketReceiver
    private var batch = ReceiveBatch()
    private let memory: FrameMemory

    /// Enough for the headers; of the rest only the length matters.
    private static let headRoom = 512
    /// The longest frame there is.
    private static let longest = 68 << 10
    private static let acknowledges: UInt8 = 0x10

    /// Starts to listen on an interface of the calling thread's network namespace.
    ///
    /// Requires `CAP_NET_RAW` there.
    public init(interface: Int32) throws(KernelError) {
        // All frames share one scratch area for the bytes after their headers.
        let memory = try FrameMemory(
            reserving: ReceiveBatch.capacity * Self.headRoom + Self.longest)
        receiver = try PacketReceiver(interface: interface)
        let waste = ReceiveBatch.capacity * Self.headRoom
        for index in 0..<ReceiveBatch.capacity {
            batch.place(
                index, in: memory, head: Self.head(index), rest: waste..<waste + Self.longest)
        }
        self.memory = memory
    }

    /// Frames dropped since the last call because they arrived faster than they were read.
    public func takeDrops() -> Int { receiver.takeDrops() }

    /// Delivers all arrivals since the last call, without blocking.
    public mutating func takeAll(_ body: (PacketArrival) -> Void) throws(Errno) {
        while true {
            let count = try receiver.receive(into: &batch)
            for index in 0..<count {
                if let arrival = arrival(index) { body(arrival) }
            }
            guard count > 0 else { return }
        }
    }

    private static func head(_ index: Int) -> Range<Int> {
        index * headRoom..<(index + 1) * headRoom
    }

    /// Nil if it is not IP.
    private func arrival(_ index: Int) -> PacketArrival? {
        let frame = batch[index]
        let start = VirtualHeader.count
        guard frame.count > start else { return nil }
        let head = Self.head(index).prefix(min(frame.count, Self.headRoom))
        return memory.withBytes(in: head) { bytes in
            let headers = FrameHeaders(bytes.extracting(start..<bytes.count))
            guard headers.version != 0 else { return nil }
            // Replaces a packet length that was limited to the received headers.
            let whole = frame.count - start - headers.network
            let length = min(
                whole,
                Self.announcedLength(bytes, network: start + headers.network, headers) ?? whole)
            return PacketArrival(
                time: frame.arrival ?? KernelClock.monotonic,
                length: ByteCount(
                    bytes: UInt64(length + Self.repeatedHeaders(bytes, headers, length))),
                acknowledgement: Self.acknowledgement(bytes, headers))
        }
    }

    /// The length of the packet without padding, from its header; nil if it has none.
    private static func announcedLength(
        _ bytes: Span<UInt8>, network: Int, _ headers: FrameHeaders
    ) -> Int? {
        guard bytes.count >= network + 6 else { return nil }
        let number = Int(bytes.word(at: network + (headers.version == 4 ? 2 : 4)))
        // The field is zero in a packet of more than 64 KiB.
        guard number > 0 else { return nil }
        return headers.version == 4 ? number : number + 40
    }

    /// The headers that later packets had before the merge.
    private static func repeatedHeaders(
        _ bytes: Span<UInt8>, _ headers: FrameHeaders, _ length: Int
    ) -> Int {
        let size = Int(VirtualHeader(bytes).segmentSize)
        guard size > 0, let transport = headers.transport else { return 0 }
        let place = VirtualHeader.count + transport
        let ownLength: Int
        switch headers.transportProtocol {
        case FrameHeaders.tcp where bytes.count > place + 12:
            ownLength = Int(bytes[place + 12] >> 4) * 4
        case FrameHeaders.udp: ownLength = 8
        default: return 0
        }
        let perPacket = transport - headers.network + ownLength
        let payload = length - perPacket
        return payload > size ? (payload - 1) / size * perPacket : 0
    }

    private static func acknowledgement(
        _ bytes: Span<UInt8>, _ headers: FrameHeaders
    ) -> PacketArrival.Acknowledgement? {
        guard headers.transportProtocol == FrameHeaders.tcp, let transport = headers.transport
        else { return nil }
        let place = VirtualHeader.count + transport
        guard bytes.count >= place + 14, bytes[place + 13] & acknowledges != 0 else { return nil }
        return .init(connection: headers.flow, number: bytes.long(at: place + 8))
    }
}

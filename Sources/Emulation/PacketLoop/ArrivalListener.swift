public import LinkUnits
public import LinuxKernel
public import SystemPackage

/// What came to an interface as one frame: a packet, or several of one flow that the network card
/// or the kernel has put together.
public struct PacketArrival: Sendable, Hashable {
    /// What a TCP packet says has come of what was sent the other way.
    public struct Acknowledgement: Sendable, Hashable {
        /// The same for all packets of a connection in one direction.
        public var connection: UInt32
        /// The number of the next byte that is expected.
        public var number: UInt32
    }

    /// When the kernel got it, of `KernelClock.realtime`.
    public var time: Duration
    /// Its packets from the IP header on, headers of all of them included.
    public var length: ByteCount
    /// What it acknowledges, if it is TCP.
    public var acknowledgement: Acknowledgement?
}

/// Listens to what comes to an interface, without touching it.
public struct ArrivalListener: ~Copyable {
    private var receiver: PacketReceiver
    private var batch = ReceiveBatch()
    private let memory: FrameMemory

    /// The headers; of the rest only the length matters.
    private static let headRoom = 512
    /// The longest frame there is.
    private static let longest = 68 << 10
    private static let acknowledges: UInt8 = 0x10

    /// Listens on an interface of the calling thread's network namespace, from now on.
    ///
    /// Requires `CAP_NET_RAW` there.
    public init(interface: Int32) throws(KernelError) {
        // What lies behind the heads is the same waste for all.
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

    /// Frames that came faster than they were read, since the last call.
    public func takeDrops() -> Int { receiver.takeDrops() }

    /// Hands over what has come since the last call, without waiting.
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

    /// Nil for what is no IP.
    private func arrival(_ index: Int) -> PacketArrival? {
        let frame = batch[index]
        let start = VirtualHeader.count
        guard frame.count > start else { return nil }
        let head = Self.head(index).prefix(min(frame.count, Self.headRoom))
        return memory.withBytes(in: head) { bytes in
            let headers = FrameHeaders(bytes.extracting(start..<bytes.count))
            guard headers.version != 0 else { return nil }
            // What the packet says of its length is cut to what is in the head.
            let whole = frame.count - start - headers.network
            let length = min(
                whole,
                Self.announcedLength(bytes, network: start + headers.network, headers) ?? whole)
            return PacketArrival(
                time: frame.arrival ?? KernelClock.realtime,
                length: ByteCount(
                    bytes: UInt64(length + Self.repeatedHeaders(bytes, headers, length))),
                acknowledgement: Self.acknowledgement(bytes, headers))
        }
    }

    /// The length of the packet without padding, as its header says; nil if it says none.
    private static func announcedLength(
        _ bytes: Span<UInt8>, network: Int, _ headers: FrameHeaders
    ) -> Int? {
        guard bytes.count >= network + 6 else { return nil }
        let number = Int(bytes.word(at: network + (headers.version == 4 ? 2 : 4)))
        // A packet of more than 64 KiB says zero.
        guard number > 0 else { return nil }
        return headers.version == 4 ? number : number + 40
    }

    /// The headers that packets after the first had before they were put together.
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

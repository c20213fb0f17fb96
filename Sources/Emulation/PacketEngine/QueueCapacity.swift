import LinkModel
import LinkUnits

/// The limit of the bottleneck queue.
struct QueueCapacity: Sendable, Hashable {
    private let packets: Int
    private let bytes: UInt64

    /// The limit in `conditions` for a bottleneck of this rate (of a trace: its mean), or the
    /// default: the larger of 50 packets and 100 ms.
    init(_ conditions: DirectionConditions, rate: Bandwidth) {
        switch conditions.queue {
        case .packets(let count): self.init(packets: count)
        case .bytes(let count): self.init(bytes: count.bytes)
        case .time(let time): self.init(bytes: rate.byteCount(in: time.bounded).bytes)
        case nil:
            var limited = conditions
            limited.bandwidth = rate
            self.init(packets: limited.queuePackets ?? 50)
        }
    }

    /// Room for everything.
    static let unlimited = QueueCapacity()

    private init(packets: Int = .max, bytes: UInt64 = .max) {
        self.packets = max(1, packets)
        self.bytes = bytes
    }

    /// Whether a packet fits behind `count` packets of `bytes` bytes in total.
    ///
    /// An empty queue accepts any packet: one larger than the limit would otherwise never pass.
    func admits(_ packet: Packet, behind count: Int, bytes held: UInt64) -> Bool {
        guard count > 0 else { return true }
        guard count < packets, held <= bytes else { return false }
        return packet.length.bytes <= bytes - held
    }

    /// Whether this number of packets or bytes is above the limit.
    func isExceeded(by count: Int, bytes held: UInt64) -> Bool {
        count > packets || (count > 1 && held > bytes)
    }
}

import LinkModel
import LinkUnits
import PacketEngine

extension LinkEmulator {
    /// All events up to `now`.
    mutating func events(until now: Duration) -> [PacketEvent] {
        var events: [PacketEvent] = []
        while let event = nextVerdict(at: now) { events.append(event) }
        return events
    }

    /// All events of what is on the link, however late.
    mutating func remainingEvents() -> [PacketEvent] { events(until: .seconds(10_000_000)) }

    /// Packets arrive at once.
    mutating func enqueue(
        _ slots: Range<UInt32>, bytes: UInt64 = 1500, flow: UInt32 = 0, isDNS: Bool = false,
        at now: Duration
    ) {
        for slot in slots {
            enqueue(
                Packet(slot: slot, length: ByteCount(bytes: bytes), flow: flow, isDNS: isDNS),
                at: now)
        }
    }
}

extension [PacketEvent] {
    /// The slots of the packets that got through, with or without a flipped bit.
    var delivered: [UInt32] {
        filter { $0.verdict.isDelivery }.map(\.slot)
    }

    /// The slots of the packets with this verdict.
    func slots(_ verdict: Verdict) -> [UInt32] { filter { $0.verdict == verdict }.map(\.slot) }
}

extension Verdict {
    /// Whether the packet leaves the link.
    var isDelivery: Bool {
        switch self {
        case .delivered, .corrupted: true
        case .queueFull, .managed, .lost: false
        }
    }
}

/// The mean and the standard deviation.
func moments(_ values: [Double]) -> (mean: Double, deviation: Double) {
    let mean = values.reduce(0, +) / Double(values.count)
    let variance =
        values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
    return (mean, variance.squareRoot())
}

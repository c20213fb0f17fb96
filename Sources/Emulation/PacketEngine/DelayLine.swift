import DequeModule
import LinkUnits

/// Packets in flight, each with the event of its arrival. It never changes their order.
struct DelayLine: Sendable {
    private var journeys = Deque<(event: PacketEvent, length: ByteCount)>()

    var isEmpty: Bool { journeys.isEmpty }

    /// When the first packet arrives at the far end.
    var nextTime: Duration? { journeys.first?.event.time }

    /// Adds a packet that arrives at the time of `event`, or together with the previous packet if
    /// that is later, for example after the delay was reduced.
    mutating func append(_ event: PacketEvent, length: ByteCount) {
        var event = event
        if let last = journeys.last?.event.time, last > event.time { event.time = last }
        journeys.append((event, length))
    }

    mutating func removeFirst() -> (event: PacketEvent, length: ByteCount) {
        journeys.removeFirst()
    }
}

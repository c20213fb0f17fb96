import DequeModule
import LinkUnits

/// Packets under way, with the event that ends each one's journey. It never changes their order.
struct DelayLine: Sendable {
    private var journeys = Deque<(event: PacketEvent, length: ByteCount)>()

    var isEmpty: Bool { journeys.isEmpty }

    /// When the first packet arrives at the far end.
    var nextTime: Duration? { journeys.first?.event.time }

    /// Adds a packet that arrives at the time of `event`, or with the one before it if that is
    /// later: after the delay was cut, say.
    mutating func append(_ event: PacketEvent, length: ByteCount) {
        var event = event
        if let last = journeys.last?.event.time, last > event.time { event.time = last }
        journeys.append((event, length))
    }

    mutating func removeFirst() -> (event: PacketEvent, length: ByteCount) {
        journeys.removeFirst()
    }
}

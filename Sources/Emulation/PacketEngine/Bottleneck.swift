import LinkModel
import LinkUnits

/// The bandwidth limit of a link, and the queue in front of it.
struct Bottleneck: Sendable {
    private var transmitter: Transmitter
    private var queue: BottleneckQueue
    /// The packet in transmission, when its transmission started, and when its last byte is sent.
    private var inService: (packet: Packet, start: Duration, end: Duration)?
    /// The total transmission time of the packets already sent.
    private var timeUsed = Duration.zero

    init(
        _ conditions: DirectionConditions, trace: DeliveryTrace?, random: RandomStream
    ) {
        transmitter = Transmitter(
            rate: conditions.bandwidth, trace: trace, startingAt: .zero)
        let (management, capacity) = Self.policy(of: conditions, transmitter)
        queue = BottleneckQueue(
            management, marks: conditions.marksPackets, capacity: capacity, random: random)
    }

    /// When the packet in transmission departs.
    var nextDeparture: Duration? { inService?.end }

    /// The packets that are queued or in transmission.
    var packetCount: Int { queue.count + (inService == nil ? 0 : 1) }

    /// The bytes of those packets.
    var byteCount: ByteCount {
        ByteCount(bytes: queue.bytes &+ (inService?.packet.length.bytes ?? 0))
    }

    /// The mean rate; nil without a limit.
    var meanRate: Bandwidth? { transmitter.meanRate }

    /// The total time that packets have been in transmission until now.
    func timeUsed(by now: Duration) -> Duration {
        guard let inService else { return timeUsed }
        return timeUsed + max(.zero, min(now, inService.end) - inService.start)
    }

    /// Enqueues an arriving packet. Take all departures up to now first.
    mutating func enqueue(_ packet: Packet, at now: Duration, drops: inout DropLog) {
        queue.enqueue(packet, behind: inService?.packet, at: now, drops: &drops)
        if inService == nil { startNext(at: now, isNext: false, drops: &drops) }
    }

    /// The next packet that departs by `now`, and the times of its transmission; the next
    /// transmission starts at its end.
    mutating func departure(
        by now: Duration, drops: inout DropLog
    ) -> (packet: Packet, start: Duration, end: Duration)? {
        guard let done = inService, done.end <= now else { return nil }
        timeUsed += done.end - done.start
        startNext(at: done.end, isNext: true, drops: &drops)
        return done
    }

    private mutating func startNext(at start: Duration, isNext: Bool, drops: inout DropLog) {
        guard let packet = queue.dequeue(at: start, drops: &drops) else {
            inService = nil
            return
        }
        let end = transmitter.send(packet.length, from: start, isNext: isNext)
        inService = (packet, start, end)
    }

    /// Changes the conditions. Take all departures up to now first.
    ///
    /// No packet is lost. Queued packets leave at the new rate, and so does the rest of the one in
    /// transmission. On a change to or from a trace, which has no notion of a rest, that packet
    /// starts again.
    mutating func change(
        to conditions: DirectionConditions, trace: DeliveryTrace?, at now: Duration
    ) {
        let old = transmitter
        if case .trace(let playback) = old, playback.trace == trace {
            // The trace keeps playing.
        } else {
            transmitter = Transmitter(
                rate: conditions.bandwidth, trace: trace, startingAt: now)
            switch (old, transmitter) {
            case (.rate(let before), .rate(let after)):
                guard before != after, let current = inService else { break }
                let ratio = Double(before.bitsPerSecond) / Double(after.bitsPerSecond)
                inService?.end = now + ((current.end - now) * ratio).bounded
            default:
                guard let current = inService else { break }
                let end = transmitter.send(current.packet.length, from: now, isNext: false)
                inService?.end = end
            }
        }
        let (management, capacity) = Self.policy(of: conditions, transmitter)
        queue.change(to: management, marks: conditions.marksPackets, capacity: capacity)
    }

    /// The queue management and the capacity; without a rate limit nothing queues.
    private static func policy(
        of conditions: DirectionConditions, _ transmitter: Transmitter
    ) -> (QueueManagement, QueueCapacity) {
        guard let rate = transmitter.meanRate else { return (.dropTail, .unlimited) }
        return (conditions.aqm, QueueCapacity(conditions, rate: rate))
    }
}

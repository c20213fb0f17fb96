import LinkModel
import LinkUnits

/// The bandwidth limit of a link, and the queue in front of it.
struct Bottleneck: Sendable {
    private var transmitter: Transmitter
    private var queue: BottleneckQueue
    /// The packet in transmission, when that began, and when its last byte is through.
    private var inService: (packet: Packet, start: Duration, end: Duration)?
    /// How long it took the packets that are through.
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

    /// When the next packet is through.
    var nextDeparture: Duration? { inService?.end }

    /// The packets that wait or are in transmission.
    var packetCount: Int { queue.count + (inService == nil ? 0 : 1) }

    /// The bytes of those packets.
    var byteCount: ByteCount {
        ByteCount(bytes: queue.bytes &+ (inService?.packet.length.bytes ?? 0))
    }

    /// What it lets pass on average; nil without a limit.
    var meanRate: Bandwidth? { transmitter.meanRate }

    /// How long packets have been in transmission until now.
    func timeUsed(by now: Duration) -> Duration {
        guard let inService else { return timeUsed }
        return timeUsed + max(.zero, min(now, inService.end) - inService.start)
    }

    /// A packet arrives, after all departures up to now have been taken.
    mutating func enqueue(_ packet: Packet, at now: Duration, drops: inout DropLog) {
        queue.enqueue(packet, behind: inService?.packet, at: now, drops: &drops)
        if inService == nil { startNext(at: now, isNext: false, drops: &drops) }
    }

    /// The next packet that is through by `now`, and when; the transmission after it starts then.
    mutating func departure(
        by now: Duration, drops: inout DropLog
    ) -> (packet: Packet, end: Duration)? {
        guard let done = inService, done.end <= now else { return nil }
        timeUsed += done.end - done.start
        startNext(at: done.end, isNext: true, drops: &drops)
        return (done.packet, done.end)
    }

    private mutating func startNext(at start: Duration, isNext: Bool, drops: inout DropLog) {
        guard let packet = queue.dequeue(at: start, drops: &drops) else {
            inService = nil
            return
        }
        let end = transmitter.send(packet.length, from: start, isNext: isNext)
        inService = (packet, start, end)
    }

    /// Takes up other conditions, after all departures up to now have been taken.
    ///
    /// No packet is lost. Those that wait go at the new rate, and so does the rest of the one in
    /// transmission; to and from a trace, which knows no rest, that one starts again.
    mutating func change(
        to conditions: DirectionConditions, trace: DeliveryTrace?, at now: Duration
    ) {
        let old = transmitter
        if case .trace(let playback) = old, playback.trace == trace {
            // It plays on.
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

    /// How the queue is managed and what it holds; where nothing limits the rate, nothing queues.
    private static func policy(
        of conditions: DirectionConditions, _ transmitter: Transmitter
    ) -> (QueueManagement, QueueCapacity) {
        guard let rate = transmitter.meanRate else { return (.dropTail, .unlimited) }
        return (conditions.aqm, QueueCapacity(conditions, rate: rate))
    }
}

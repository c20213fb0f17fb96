import LinkModel
import LinkUnits
import PacketEngine

/// A flow of packets at even distances that takes no notice of what becomes of them.
struct ConstantLoad {
    var flow: UInt32
    var bytes: UInt64 = 1500
    var rate: Bandwidth
    var start = Duration.zero
}

/// What became of a packet of a load.
struct Passage {
    var flow: UInt32
    var bytes: UInt64
    var arrival: Duration
    var event: PacketEvent

    /// From arrival to departure, or to the drop.
    var wait: Double { (event.time - arrival) / .milliseconds(1) }
}

/// Puts the loads on a link for `time`, with a caller that asks every 10 ms.
func passages(
    through conditions: DirectionConditions, loads: [ConstantLoad], for time: Duration,
    seed: UInt64 = 1
) -> [Passage] {
    var link = LinkEmulator(conditions, seed: seed)
    var sent: [(flow: UInt32, bytes: UInt64, arrival: Duration)] = []
    var passages: [Passage] = []
    var next = loads.map(\.start)
    var wake = Duration.zero
    func take(_ event: PacketEvent) {
        let packet = sent[Int(event.slot)]
        passages.append(
            Passage(
                flow: packet.flow, bytes: packet.bytes, arrival: packet.arrival, event: event))
    }
    while let now = next.min(), now < time, let index = next.firstIndex(of: now) {
        while wake < now {
            link.events(until: wake).forEach(take)
            wake += .milliseconds(10)
        }
        let load = loads[index]
        link.enqueue(
            Packet(
                slot: UInt32(sent.count), length: ByteCount(bytes: load.bytes), flow: load.flow),
            at: now)
        sent.append((load.flow, load.bytes, now))
        next[index] = now + load.rate.serializationDelay(of: ByteCount(bytes: load.bytes))
    }
    link.remainingEvents().forEach(take)
    return passages
}

extension [Passage] {
    /// How long the packets waited that got through and arrived in this time.
    func waits(arrivedIn range: Range<Duration>) -> [Double] {
        filter { $0.event.verdict.isDelivery && range.contains($0.arrival) }.map(\.wait)
    }

    /// The times at which packets were dropped so.
    func times(_ verdict: Verdict) -> [Double] {
        filter { $0.event.verdict == verdict }.map { $0.event.time / .milliseconds(1) }
    }
}

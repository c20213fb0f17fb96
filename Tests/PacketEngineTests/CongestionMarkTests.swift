import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import Testing

/// ECN: marks in place of drops.
@Suite("Marks of congestion", .tags(.unit)) struct CongestionMarkTests {
    /// Sends 30 Mbit/s into 12 Mbit/s for 5 s.
    private static func overload(
        _ aqm: QueueManagement, ecn: Bool?, canBeMarked: Bool
    ) -> (counters: EmulatorCounters, marked: Int, delivered: Int) {
        var link = LinkEmulator(
            DirectionConditions(
                bandwidth: .megabitsPerSecond(12), queue: .packets(10_000), aqm: aqm, ecn: ecn),
            seed: 7)
        var (marked, delivered) = (0, 0)
        for index in 0..<12_500 {
            let now = Duration.microseconds(400 * index)
            link.enqueue(
                Packet(
                    slot: UInt32(index), length: ByteCount(bytes: 1500), canBeMarked: canBeMarked),
                at: now)
            while let event = link.nextVerdict(at: now) {
                if event.isMarked { marked += 1 }
                if event.verdict == .delivered { delivered += 1 }
            }
        }
        while let next = link.nextEvent {
            while let event = link.nextVerdict(at: next) {
                if event.isMarked { marked += 1 }
                if event.verdict == .delivered { delivered += 1 }
            }
        }
        return (link.counters, marked, delivered)
    }

    @Test(arguments: [QueueManagement.codel, .fqCodel])
    func `what can be marked is marked, and nothing is dropped`(_ aqm: QueueManagement) {
        let result = Self.overload(aqm, ecn: true, canBeMarked: true)
        #expect(result.counters.managedPackets == 0)
        #expect(result.counters.markedPackets > 100)
        #expect(result.marked == Int(result.counters.markedPackets))
        #expect(result.delivered == 12_500)
    }

    @Test func `PIE marks until marks do not help`() {
        let result = Self.overload(.pie, ecn: true, canBeMarked: true)
        #expect(result.counters.markedPackets > 0)
        // Nobody slows down here, so that the probability leaves the 10 % behind.
        #expect(result.counters.managedPackets > 0)
        #expect(result.marked == Int(result.counters.markedPackets))
    }

    @Test(arguments: [QueueManagement.codel, .fqCodel, .pie], [true, false])
    func `what cannot be marked, or is not to be, is dropped`(_ aqm: QueueManagement, _ ecn: Bool) {
        let result = Self.overload(aqm, ecn: ecn, canBeMarked: !ecn)
        #expect(result.counters.markedPackets == 0)
        #expect(result.counters.managedPackets > 10)
    }

    @Test func `unless told otherwise each does as its qdisc`() {
        #expect(Self.overload(.codel, ecn: nil, canBeMarked: true).counters.markedPackets == 0)
        #expect(Self.overload(.fqCodel, ecn: nil, canBeMarked: true).counters.markedPackets > 0)
        #expect(Self.overload(.pie, ecn: nil, canBeMarked: true).counters.markedPackets == 0)
    }
}

import LinkModel
import LinkTesting
import LinkUnits
import Scenarios
import Testing

@Suite("Ramps", .tags(.unit))
struct RampTests {
    private let slow = DirectionConditions(
        bandwidth: .megabitsPerSecond(1), delay: .milliseconds(500),
        jitter: Jitter(amount: .milliseconds(20), distribution: .pareto),
        loss: .random(.percent(10)),
        duplicate: .percent(2), corrupt: .percent(4), queue: .packets(10), aqm: .codel)
    private let fast = DirectionConditions(
        bandwidth: .megabitsPerSecond(41), delay: .milliseconds(100), queue: .packets(50))

    private func middle(
        _ start: DirectionConditions, _ end: DirectionConditions, _ fraction: Double = 0.5
    ) -> DirectionConditions {
        let conditions = LinkConditions(down: start)
            .interpolated(to: LinkConditions(down: end), fraction: fraction)
        #expect(conditions.problem == nil)
        #expect(conditions.up == DirectionConditions())
        return conditions.down
    }

    @Test func `what has a size changes evenly`() {
        let conditions = middle(slow, fast, 0.25)
        #expect(conditions.bandwidth == .megabitsPerSecond(11))
        #expect(conditions.delay == .milliseconds(400))
        #expect(conditions.jitter == Jitter(amount: .milliseconds(15), distribution: .pareto))
        #expect(conditions.loss == .random(Ratio(knownPartsPerBillion: 75_000_000)))
        #expect(conditions.duplicate == Ratio(knownPartsPerBillion: 15_000_000))
        #expect(conditions.corrupt == .percent(3))
        #expect(conditions.queue == .packets(20))
        #expect(conditions.aqm == .dropTail)
    }

    @Test func `the ends are the conditions themselves`() {
        let (start, end) = (
            LinkConditions(down: slow, isBlackhole: true), LinkConditions(up: fast)
        )
        for fraction in [-1, 0] {
            #expect(start.interpolated(to: end, fraction: Double(fraction)) == start)
        }
        for fraction in [1, 2] {
            #expect(start.interpolated(to: end, fraction: Double(fraction)) == end)
        }
    }

    @Test func `between a bandwidth and none, the bandwidth holds`() {
        let free = DirectionConditions(delay: .milliseconds(1))
        for (start, end) in [(slow, free), (free, slow)] {
            let conditions = middle(start, end)
            #expect(conditions.bandwidth == slow.bandwidth)
            #expect(conditions.queue == slow.queue)
            #expect(conditions.aqm == .codel)
            #expect(conditions.delay == .microseconds(250_500))
        }
    }

    @Test func `a trace is exchanged at the end`() {
        let traced = DirectionConditions(delay: .milliseconds(2), trace: "a.trace")
        #expect(middle(traced, slow).trace == "a.trace")
        #expect(middle(traced, slow).bandwidth == nil)
        #expect(middle(slow, traced).bandwidth == slow.bandwidth)
        #expect(middle(slow, traced).trace == nil)
    }

    @Test func `queues of different kinds meet in packets`() {
        let bytes = DirectionConditions(
            bandwidth: .megabitsPerSecond(1), queue: .bytes(ByteCount(bytes: 45_000)))
        let time = DirectionConditions(
            bandwidth: .megabitsPerSecond(12), queue: .time(.milliseconds(100)))
        #expect(middle(bytes, bytes).queue == bytes.queue)
        #expect(middle(time, time).queue == time.queue)
        #expect(middle(bytes, time).queue == .packets(65))
        // Its default is 50 packets.
        let plain = DirectionConditions(bandwidth: .megabitsPerSecond(1))
        #expect(middle(plain, plain).queue == nil)
        #expect(middle(plain, bytes).queue == .packets(40))
    }

    @Test func `independent losses turn into bursts`() {
        let bursts = DirectionConditions(loss: .bursts(mean: .percent(10), burst: 9))
        let none = DirectionConditions()
        #expect(middle(none, bursts).loss == .bursts(mean: .percent(5), burst: 5))
        let all = DirectionConditions(loss: .random(.one))
        #expect(middle(all, bursts).loss == .random(.percent(55)))
    }

    @Test func `a black hole is loss, and DNS has its delay`() {
        let start = LinkConditions(dnsDelay: .seconds(3))
        let end = LinkConditions(isBlackhole: true)
        let conditions = start.interpolated(to: end, fraction: 0.5)
        #expect(conditions.down.loss == .random(.percent(50)))
        #expect(conditions.up.loss == .random(.percent(50)))
        #expect(conditions.dnsDelay == .milliseconds(1500))
        #expect(!conditions.isBlackhole)
    }

    @Test func `reordering needs a delay on the way as well`() {
        let overtaking = DirectionConditions(
            delay: .milliseconds(10), reorder: Reordering(mean: .percent(2), gap: 5))
        #expect(middle(DirectionConditions(), overtaking).reorder?.mean == .percent(1))
        for step in 1..<1000 {
            _ = middle(overtaking, DirectionConditions(), Double(step) / 1000)
        }
    }
}

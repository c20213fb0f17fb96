import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import Testing

@Suite("PIE", .tags(.unit))
struct PIETests {
    private static let link = DirectionConditions(
        bandwidth: .megabitsPerSecond(12), queue: .packets(1000), aqm: .pie)

    @Test func `a burst of 150 ms is let through`() {
        let loads = [ConstantLoad(flow: 1, rate: .megabitsPerSecond(24))]
        let passages = passages(through: Self.link, loads: loads, for: .milliseconds(149))
        #expect(passages.times(.managed).isEmpty)
    }

    @Test(arguments: [1.1, 1.5, 1.8])
    func `an overload is held near the target of 15 ms`(factor: Double) {
        let loads = [
            ConstantLoad(flow: 1, rate: .kilobitsPerSecond(UInt64(12_000 * factor)))
        ]
        let all = passages(through: Self.link, loads: loads, for: .seconds(60))
        let steady = Duration.seconds(30)..<Duration.seconds(60)
        let waits = all.waits(arrivedIn: steady)
        let mean = moments(waits).mean
        #expect(mean > 8 && mean < 25, "\(mean)")
        #expect(all.times(.queueFull).isEmpty)
        // What is too much is dropped, and the link stays busy.
        #expect(abs(Double(waits.count) - 30_000) < 300)
    }

    @Test func `below the bandwidth nothing is dropped`() {
        let loads = [ConstantLoad(flow: 1, rate: .megabitsPerSecond(11))]
        let passages = passages(through: Self.link, loads: loads, for: .seconds(20))
        #expect(passages.allSatisfy { $0.event.verdict == .delivered })
    }

    @Test func `the seed chooses the drops`() {
        let loads = [ConstantLoad(flow: 1, rate: .megabitsPerSecond(24))]
        func drops(seed: UInt64) -> [Double] {
            passages(through: Self.link, loads: loads, for: .seconds(5), seed: seed)
                .times(.managed)
        }
        #expect(drops(seed: 1) == drops(seed: 1))
        #expect(drops(seed: 1) != drops(seed: 2))
    }
}

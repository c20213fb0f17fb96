import LinkTesting
import LinkUnits
import Testing

@testable import LinkModel

@Suite("Late packets", .tags(.unit))
struct LatePacketsTests {
    @Test func `the usual tolerance is a hundredth of the delay, and at least a millisecond`() {
        #expect(LatenessTolerance.standard.limit(delay: .zero) == .milliseconds(1))
        #expect(LatenessTolerance.standard.limit(delay: .milliseconds(400)) == .milliseconds(4))
        #expect(!LatenessTolerance.standard.isChosen)
    }

    @Test func `a chosen one holds for every delay`() {
        for delay in [Duration.zero, .seconds(1)] {
            #expect(LatenessTolerance.within(.zero).limit(delay: delay) == .zero)
        }
        #expect(LatenessTolerance.within(.zero).isChosen)
    }

    private static func late(_ packets: [(milliseconds: Int, count: UInt64)]) -> LatePackets {
        var late = LatePackets()
        for (time, count) in packets {
            late.record(.milliseconds(time % 1000), packets: count, at: .milliseconds(time))
        }
        return late
    }

    @Test func `are counted by the second`() {
        let late = Self.late([(900, 1), (2003, 4), (2009, 1), (2005, 1), (7001, 6)])
        #expect(late.packets == 13)
        #expect(late.seconds.map(\.second) == [0, 2, 7])
        #expect(late.seconds.map(\.packets) == [1, 6, 6])
        #expect(late.seconds.map(\.maximumMicroseconds) == [900_000, 9000, 1000])
        #expect(late.worst?.second == 2, "the first of equals")
        #expect(LatePackets().worst == nil)
    }

    @Test func `of two links are added up`() {
        var (one, other) = (EngineCounters(), EngineCounters())
        one.late = Self.late([(1001, 1), (3002, 2)])
        other.late = Self.late([(1500, 4), (2001, 1)])
        let sum = (one + other).late
        #expect(sum.packets == 8)
        #expect(sum.seconds.map(\.second) == [1, 2, 3])
        #expect(sum.seconds.map(\.packets) == [5, 1, 2])
        #expect(sum.seconds[0].maximumMicroseconds == 500_000)
    }

    @Test func `of a very long time are counted, but not by the second`() {
        var late = LatePackets()
        for second in 0..<5000 {
            late.record(.milliseconds(2), packets: 1, at: .seconds(second))
        }
        #expect(late.packets == 5000)
        #expect(late.seconds.count == LatePackets.mostSeconds)
    }
}

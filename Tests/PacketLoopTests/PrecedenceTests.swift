import LinkTesting
import Testing

@testable import PacketLoop

@Suite("Precedence", .tags(.unit)) struct PrecedenceTests {
    private static let much = Precedence.tolerance * 2

    /// When, in milliseconds, a thread goes before others that looks every 5 ms, and whose lag is this.
    private static func times(
        until end: Int, lag: (_ milliseconds: Int) -> Duration
    ) -> [Int] {
        var precedence = Precedence()
        return stride(from: 0, to: end, by: 5).filter { time in
            precedence.isDue(lag: lag(time), at: .seconds(1) + .milliseconds(time))
        }
    }

    @Test func `who keeps up goes first`() {
        let all = Array(stride(from: 0, to: 3000, by: 5))
        #expect(Self.times(until: 3000) { _ in .zero } == all)
        #expect(Self.times(until: 3000) { _ in Precedence.tolerance } == all)
        // Behind now and then, not for long.
        #expect(Self.times(until: 3000) { $0 % 100 == 0 ? .zero : Self.much } == all)
    }

    @Test func `who has long been behind takes turns with others for a second`() {
        let times = Self.times(until: 2300) { _ in Self.much }
        #expect(
            times
                == [0..<100, 1100..<1200, 2200..<2300].flatMap {
                    stride(
                        from: $0.lowerBound, to: $0.upperBound, by: 5)
                })
    }

    @Test func `who has caught up by then goes first for good`() {
        let times = Self.times(until: 3000) { $0 < 500 ? Self.much : .zero }
        #expect(
            times == Array(stride(from: 0, to: 100, by: 5))
                + Array(stride(from: 1100, to: 3000, by: 5)))
    }
}

import LinkTesting
import Testing

@testable import Uplink

@Suite("The pace of a relayed stream", .tags(.unit))
struct PaceTests {
    private static let (usual, most) = (
        StreamRelay.Side.mostPortion, StreamRelay.Side.mostFastPortion
    )

    /// The largest portion after 100 ms of a stream that moves so many bytes in each millisecond.
    private func mostPortion(bytesPerMillisecond count: Int) -> Int {
        var pace = Pace()
        for millisecond in 1...100 { pace.add(count, at: .milliseconds(millisecond)) }
        return pace.mostPortion(at: .milliseconds(100))
    }

    @Test func `a slow stream keeps to small portions`() {
        #expect(Pace().portionAtOnce == Self.usual)
        // 80 Mbit/s.
        #expect(mostPortion(bytesPerMillisecond: 10_000) == Self.usual)
    }

    @Test func `a portion of a fast one is what the other end takes in a few milliseconds`() {
        // 400 Mbit/s.
        let portion = mostPortion(bytesPerMillisecond: 50_000)
        #expect((2 * 50_000...3 * 50_000).contains(portion))
        #expect(mostPortion(bytesPerMillisecond: 1_000_000) == Self.most)
    }

    @Test func `after a pause it is slow again`() {
        var pace = Pace()
        pace.add(10_000_000, at: .milliseconds(1))
        #expect(pace.mostPortion(at: .milliseconds(2)) == Self.most)
        #expect(pace.mostPortion(at: .milliseconds(35)) == Self.most)
        #expect(pace.mostPortion(at: .milliseconds(200)) == Self.usual)
    }
}

extension Pace {
    fileprivate var portionAtOnce: Int {
        var pace = self
        return pace.mostPortion(at: .zero)
    }
}

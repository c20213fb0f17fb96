import LinkTesting
import Testing

@testable import PacketLoop

@Suite("Pauses", .tags(.unit)) struct PausesTests {
    /// When a thread pauses in 20 ms, of which it sleeps so much after each turn of 100 µs.
    private static func pauses(
        sleeping sleep: Duration, sharingProcessor sharesProcessor: Bool = false
    ) -> [Duration] {
        var pauses = Pauses(sharesProcessor: sharesProcessor)
        var now = Duration.seconds(1)
        let end = now + .milliseconds(20)
        var found: [Duration] = []
        // What was before it began is not known.
        _ = pauses.end(at: now)
        while now < end {
            now += .microseconds(100)
            if let end = pauses.end(at: now) {
                found.append(end - now)
                now = end
            } else {
                pauses.note(sleep)
                now += max(sleep, .zero)
            }
        }
        return found
    }

    @Test(arguments: [false, true])
    func `who never sleeps pauses after each period`(sharesProcessor: Bool) throws {
        let found = Self.pauses(sleeping: .zero, sharingProcessor: sharesProcessor)
        let length = try #require(found.first)
        #expect(found.allSatisfy { $0 == length })
        let count = Duration.milliseconds(20) / (Pauses.period + length)
        #expect((count.rounded(.down)...count.rounded(.up)).contains(Double(found.count)))
        // The kernel sees to it that others get 50 of 950 ms.
        #expect(length / Pauses.period > (sharesProcessor ? 2 : 1) * 50.0 / 950)
    }

    @Test func `who sleeps enough needs no pauses`() {
        #expect(Self.pauses(sleeping: .microseconds(10)) == [])
    }

    @Test func `who sleeps less than others need pauses all the same`() {
        #expect(!Self.pauses(sleeping: .microseconds(3)).isEmpty)
        // A sleep whose end had passed before it began.
        #expect(!Self.pauses(sleeping: .microseconds(-20)).isEmpty)
    }
}

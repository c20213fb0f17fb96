import LinkTesting
import Testing

@testable import PacketLoop

@Suite("Lengths that the other end does not take", .tags(.unit))
struct LengthLimitTests {
    @Test
    func `It is known once a shorter frame passes, and until as long a one does`() {
        var limit = LengthLimit()
        #expect(!limit.isWatching && !limit.forbids(9000))
        limit.refuse(1500, packets: 2)
        limit.refuse(1400, packets: 1)
        #expect(limit.isWatching && !limit.forbids(1500))
        #expect(limit.pass(60) == 3)
        #expect(limit.forbids(1400) && !limit.forbids(1399))
        #expect(limit.pass(60) == 0)
        #expect(limit.pass(1400) == 0)
        #expect(!limit.isWatching)
    }

    @Test
    func `Frames for which there was no room for a while have no limit`() {
        var limit = LengthLimit()
        limit.refuse(60, packets: 1)
        #expect(limit.pass(60) == 0)
        #expect(!limit.isWatching)
    }
}

import LinkTesting
import Testing

import NetworkPath

@Suite("The order in which candidates connect", .tags(.unit)) struct RaceOrderTests {
    @Test func `the next begins when the one before fails, until none is left`() {
        var order = RaceOrder(count: 3)
        #expect(order.begin() == 0)
        #expect(order.fail(0) == 1)
        #expect(order.fail(1) == 2)
        #expect(!order.isLost)
        #expect(order.fail(2) == nil)
        #expect(order.isLost)
    }

    @Test func `the next begins when the one before is late, once`() {
        var order = RaceOrder(count: 3)
        _ = order.begin()
        #expect(order.lateness(of: 0) == 1)
        #expect(order.lateness(of: 0) == nil)
        // The second is on its way.
        #expect(order.fail(0) == nil)
        #expect(order.lateness(of: 1) == 2)
    }

    @Test func `a failure behind one that is late begins nothing before its time`() {
        var order = RaceOrder(count: 3)
        _ = order.begin()
        _ = order.lateness(of: 0)
        #expect(order.fail(1) == nil)
        #expect(order.fail(0) == 2)
    }

    @Test func `one sends the request, and may connect again`() {
        var order = RaceOrder(count: 2)
        _ = order.begin()
        _ = order.lateness(of: 0)
        let claims = [order.claim(1), order.claim(0), order.claim(1)]
        #expect(claims == [true, false, true])
        #expect(order.winner == 1)
        #expect(order.fail(0) == nil)
        #expect(!order.isLost)
    }
}

import LinkTesting
import Recording
import Testing

@Suite("Requests while constrained", .tags(.unit))
struct ConstrainedMeterTests {
    /// Looks every 100 ms, at what `state` says of these times, and in the end says what was seen.
    private static func use(
        _ tenths: Int, _ state: (_ tenth: Int) -> (isConstrained: Bool, requests: UInt64)
    ) -> ConstrainedUse? {
        let first = state(0)
        var meter = ConstrainedMeter(
            isConstrained: first.isConstrained, requests: first.requests)
        for tenth in 1...tenths {
            let (isConstrained, requests) = state(tenth)
            meter.look(
                isConstrained: isConstrained, requests: requests,
                at: .milliseconds(100 * tenth))
        }
        return meter.result(at: .milliseconds(100 * tenths))
    }

    @Test func `a path that never is constrained has no use`() {
        #expect(Self.use(20) { (false, UInt64($0)) } == nil)
    }

    @Test func `from the start everything counts`() {
        #expect(Self.use(20) { (true, 3 + ($0 > 0 ? 2 : 0)) } == .init(seconds: 2, requests: 2))
        #expect(Self.use(20) { _ in (true, 3) } == .init(seconds: 2, requests: 0))
    }

    @Test func `later there is a second to stop what is under way`() {
        // Constrained from 0.5 s on; a request every 100 ms.
        let early = Self.use(14) { ($0 >= 5, UInt64($0)) }
        #expect(early?.requests == 0)
        let late = Self.use(20) { ($0 >= 5, UInt64($0)) }
        // From 1.5 s to 2 s.
        #expect(late?.requests == 5)
        #expect(late.map { abs($0.seconds - 1.5) < 1e-9 } == true)
    }

    @Test func `what is asked as soon as the path is free again does not count`() {
        // Free from 2 s on, and asked since 1.95 s.
        let use = Self.use(40) { ($0 < 20, $0 < 20 ? 0 : 7) }
        #expect(use == .init(seconds: 2, requests: 0))
    }

    @Test func `each time adds up`() {
        // Constrained for 2 s, free for 2 s, constrained for 2 s; a request every 100 ms.
        let use = Self.use(60) { ($0 < 20 || $0 >= 40, UInt64($0)) }
        // Of the first two seconds all but the last look, of the second two the last one.
        #expect(use?.requests == 19 + 10)
        #expect(use.map { abs($0.seconds - 4) < 1e-9 } == true)
    }
}

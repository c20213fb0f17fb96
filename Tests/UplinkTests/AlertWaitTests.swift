import LinkTesting
import Testing

@testable import Uplink

@Suite("Staying awake for an answer", .tags(.unit))
struct AlertWaitTests {
    /// A clock that a test sets, and what was waited for.
    private final class Script {
        var now = ContinuousClock.now
        /// The limits of all looks: zero if the thread stayed awake for it.
        var limits: [Duration?] = []
        lazy var wait = AlertWait { [unowned self] in now }

        /// Waits for an event that comes after `delay`; a look takes `look` if the thread is awake.
        func waitForEvent(
            after delay: Duration, look: Duration = .microseconds(1), mayStayAwake: Bool = true
        ) -> [Int] {
            let due = now + delay
            limits = []
            return wait.wait(timeout: nil, mayStayAwake: mayStayAwake) { limit in
                limits.append(limit)
                now = limit == .zero ? now + look : max(due, now)
                return now >= due ? [1] : []
            }
        }

        var hasSlept: Bool { limits.last == .some(nil) }
        var wasAwake: Bool { limits.contains(.zero) }
    }

    @Test func `it sleeps at first, and no more once answers come soon`() {
        let script = Script()
        #expect(script.waitForEvent(after: .microseconds(150)) == [1])
        #expect(script.hasSlept && !script.wasAwake)
        for _ in 0..<3 {
            #expect(script.waitForEvent(after: .microseconds(30)) == [1])
            #expect(script.wasAwake && !script.hasSlept)
        }
    }

    @Test func `it sleeps where no message was passed on`() {
        let script = Script()
        for _ in 0..<2 {
            #expect(script.waitForEvent(after: .microseconds(1), mayStayAwake: false) == [1])
            #expect(script.hasSlept && !script.wasAwake)
        }
    }

    @Test func `it gives up soon, and does not try again at once`() {
        let script = Script()
        _ = script.waitForEvent(after: .zero)
        #expect(script.waitForEvent(after: .milliseconds(5)) == [1])
        #expect(script.wasAwake && script.hasSlept)
        #expect(script.limits.count <= 102)
        _ = script.waitForEvent(after: .microseconds(1))
        #expect(!script.wasAwake)
        _ = script.waitForEvent(after: .microseconds(1))
        #expect(script.wasAwake)
    }

    @Test func `it leaves the processor to who needs it`() {
        let script = Script()
        _ = script.waitForEvent(after: .zero)
        #expect(script.waitForEvent(after: .milliseconds(1), look: .microseconds(80)) == [1])
        #expect(script.limits == [.zero, nil])
        _ = script.waitForEvent(after: .microseconds(1))
        #expect(!script.wasAwake)
        _ = script.waitForEvent(after: .microseconds(1))
        #expect(!script.wasAwake)
        script.now += .milliseconds(20)
        _ = script.waitForEvent(after: .microseconds(1))
        #expect(script.wasAwake)
    }

    @Test func `who may not wait does not stay awake`() {
        let script = Script()
        _ = script.waitForEvent(after: .zero)
        var limits: [Duration?] = []
        let events: [Int] = script.wait.wait(timeout: .zero, mayStayAwake: true) {
            limits.append($0)
            return []
        }
        #expect(events.isEmpty && limits == [.zero])
    }
}

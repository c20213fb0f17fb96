import LinkTesting
import Testing

@testable import PacketLoop

@Suite("Wake-up time", .tags(.unit)) struct WakeUpTimeTests {
    private static let due = Duration.seconds(1)

    private static func learned(_ delays: some Sequence<Duration>) -> WakeUpTime {
        var wakeUp = WakeUpTime()
        for delay in delays { wakeUp.learn(delay) }
        return wakeUp
    }

    @Test func `at first nobody is woken early`() {
        #expect(WakeUpTime().time(for: Self.due, at: .zero) == Self.due)
    }

    @Test func `is earlier by the usual delay, whatever a few rare ones are`() {
        let delays = (0..<1000).map { number in
            number % 10 == 0 ? Duration.milliseconds(5) : .microseconds(40 + number % 3)
        }
        let wakeUp = Self.learned(delays)
        let advance = Self.due - wakeUp.time(for: Self.due, at: .zero)
        #expect((.microseconds(38)...(.microseconds(44))).contains(advance), "\(advance)")
    }

    @Test func `follows a machine that becomes faster`() {
        let wakeUp = Self.learned(
            Array(repeating: .microseconds(80), count: 200)
                + Array(repeating: .microseconds(3), count: 200))
        #expect(wakeUp.usualDelay <= .microseconds(4))
    }

    @Test func `nobody waits awake for long on a machine that is slow`() {
        let wakeUp = Self.learned(Array(repeating: .milliseconds(10), count: 1000))
        #expect(wakeUp.usualDelay == WakeUpTime.mostUsualDelay)
    }

    @Test func `what is nearer than the delay is waited for as long as it is`() {
        let wakeUp = Self.learned(Array(repeating: .microseconds(50), count: 200))
        let near = Self.due - .microseconds(20)
        #expect(wakeUp.time(for: Self.due, at: near) == Self.due)
    }

    @Test func `nobody goes to sleep for less time than that takes`() {
        let wakeUp = Self.learned(Array(repeating: .microseconds(3), count: 200))
        let near = Self.due - .microseconds(8)
        #expect(wakeUp.time(for: Self.due, at: near) == near)
    }
}

import LinkModel
import LinkUnits

@testable import Recording

/// Runs as they might have been.
enum SampleTimelines {
    private static let wifi = conditions(down: 40, up: 33, delay: 2)
    private static let lte = conditions(down: 50, up: 10, delay: 50)

    private static func conditions(down: Double, up: Double, delay: Int64) -> LinkConditions {
        LinkConditions(
            down: DirectionConditions(
                bandwidth: .bitsPerSecond(UInt64(down * 1e6)), delay: .milliseconds(delay)),
            up: DirectionConditions(
                bandwidth: .bitsPerSecond(UInt64(up * 1e6)), delay: .milliseconds(delay + 5)))
    }

    /// Samples of a tenth of a second: megabits per second down and milliseconds on the link.
    private static func samples(
        seconds: Double, _ values: (Double) -> (rate: Double, delay: Double?)
    ) -> [LinkSample] {
        (1...Int(seconds * 10)).map { number in
            let (rate, delay) = values(Double(number) / 10)
            // Some unrest, the same each time.
            let wobble = 1 + Double((number * 7919) % 21 - 10) / 100
            let down = DirectionSample(
                bitsPerSecond: UInt64(rate * wobble * 1e6), delayMilliseconds: delay,
                dropped: 0, lost: 0, queuedPackets: 0)
            let up = DirectionSample(
                bitsPerSecond: UInt64(rate * wobble * 3e4),
                delayMilliseconds: delay.map { $0 * 0.6 }, dropped: 0, lost: 0, queuedPackets: 0)
            return LinkSample(seconds: Double(number) / 10, up: up, down: down)
        }
    }

    /// A download that moves from Wi-Fi to LTE and back.
    static var walk: TimelineRecord {
        var first = InterfaceRecord(
            "wifi0",
            samples: samples(seconds: 30) { time in
                switch time {
                case ..<5: (38, 6)
                case ..<8: (38 - 12 * (time - 5), 6 + 90 * (time - 5))
                case ..<9: (0.8, 420)
                case 21...: (37, 8)
                default: (0, nil)
                }
            })
        first.set(wifi, profile: "WiFi", at: .zero)
        for step in 1...30 {
            let part = Double(step) / 30
            first.set(
                conditions(down: 40 - 39 * part, up: 33 - 32 * part, delay: 2 + Int64(498 * part)),
                profile: "very-bad-network", at: .seconds(5) + .milliseconds(100 * step))
        }
        first.set(wifi, profile: "WiFi", at: .seconds(20))
        first.enter(PathState(isPreferred: true), at: .zero)
        first.enter(PathState(isUp: false), at: .seconds(9))
        first.enter(PathState(isConstrained: true, isPreferred: true), at: .seconds(20))
        first.enter(PathState(isConstrained: true), at: .seconds(24))

        var second = InterfaceRecord(
            "cell0",
            samples: samples(seconds: 30) { time in
                (9...20.8).contains(time) ? (46, 61) : (0.02, time < 24 ? nil : 52)
            })
        second.set(lte, profile: "LTE", at: .zero)
        second.enter(PathState(isExpensive: true), at: .zero)
        second.enter(PathState(isExpensive: true, isPreferred: true), at: .seconds(9))
        second.enter(PathState(isExpensive: true), at: .seconds(20))
        second.enter(PathState(isExpensive: true, isPreferred: true), at: .seconds(24))

        var third = InterfaceRecord("vpn0", samples: samples(seconds: 30) { _ in (0, nil) })
        third.enter(PathState(isPresent: false), at: .zero)
        third.enter(PathState(isExpensive: true, isConstrained: true), at: .seconds(15))

        return TimelineRecord(
            durationSeconds: 30, interfaces: [first, second, third],
            events: [
                EventRecord(
                    at: .seconds(5), "wifi0: very-bad-network, over 3 s", interface: "wifi0",
                    lateness: .microseconds(180)),
                EventRecord(
                    at: .seconds(9), "wifi0: down", interface: "wifi0", lateness: .microseconds(20)),
                EventRecord(at: .milliseconds(9400), "app: suspend", kind: .app),
                EventRecord(at: .milliseconds(11_400), "app: resume", kind: .app),
                EventRecord(at: .seconds(15), "vpn0: appears", interface: "vpn0"),
                EventRecord(
                    at: .seconds(20), "wifi0: up, constrained", interface: "wifi0",
                    lateness: .microseconds(2300)),
                EventRecord(at: .seconds(24), "prefer cell0", interface: "cell0"),
                EventRecord(
                    at: .seconds(26), "expect path.interface == cell0", kind: .expectation),
                EventRecord(
                    at: .seconds(27), "expect path.isConstrained == true: it is false",
                    kind: .expectation, isFailure: true),
                EventRecord(
                    at: .seconds(28),
                    "exec ./sign-out.sh --user 'someone with <b>a name</b>' --quietly",
                    kind: .app),
            ])
    }

    /// A plain `run LTE`.
    static var plain: TimelineRecord {
        var interface = InterfaceRecord(
            "eth0",
            samples: samples(seconds: 4) { time in
                (min(48, 4 * time * time), 50 + min(60, 8 * time * time))
            })
        interface.set(lte, profile: "LTE", at: .zero)
        interface.enter(PathState(isExpensive: true, isPreferred: true), at: .zero)
        return TimelineRecord(durationSeconds: 4, interfaces: [interface])
    }

    /// A delay that goes up and down a thousand times in ten minutes.
    static var restless: TimelineRecord {
        var interface = InterfaceRecord("eth0", samples: samples(seconds: 20) { _ in (20, 60) })
        interface.enter(PathState(), at: .zero)
        var events: [EventRecord] = []
        for number in 0..<1000 {
            let time = Duration.milliseconds(600 * number)
            interface.set(
                conditions(down: 40, up: 10, delay: number.isMultiple(of: 2) ? 20 : 180),
                profile: "set", at: time)
            events.append(EventRecord(at: time, "eth0: down.delay", isFailure: number == 900))
        }
        return TimelineRecord(durationSeconds: 600, interfaces: [interface], events: events)
    }
}

import LinkModel
import LinkTesting
import LinkUnits
import Testing

@Suite("Condition problems", .tags(.unit))
struct ConditionProblemTests {
    private static let tenMegabits = Bandwidth.megabitsPerSecond(10)
    private static let ten = DirectionConditions(bandwidth: tenMegabits, delay: .milliseconds(5))

    private static func ten(_ change: (inout DirectionConditions) -> Void) -> DirectionConditions {
        var conditions = ten
        change(&conditions)
        return conditions
    }

    private static let unsound: [(DirectionConditions, String)] = [
        (
            ten { $0.trace = "x.trace" },
            "trace: a trace replaces the bandwidth; leave one of them out"
        ),
        (
            ten { $0.bandwidth = .bitsPerSecond(7) },
            "bandwidth: 7 bit/s is outside 8 bit/s to 1 Tbit/s; write \"unlimited\" for no limit"
        ),
        (
            ten { $0.bandwidth = .bitsPerSecond(1_000_000_000_001) },
            "bandwidth: 1.000000000001 Tbit/s is outside 8 bit/s to 1 Tbit/s; "
                + "write \"unlimited\" for no limit"
        ),
        (
            ten { $0.delay = .seconds(601) },
            "delay: 601 s is too long; the longest delay is 600 s"
        ),
        (
            ten { $0.jitter = Jitter(amount: .seconds(601)) },
            "jitter: 601 s is too long; the longest delay is 600 s"
        ),
        (
            ten { $0.reorder = Reordering(mean: .percent(1), gap: 0) },
            "reorder: the gap is at least 1 packet"
        ),
        (
            DirectionConditions(
                bandwidth: tenMegabits, reorder: Reordering(mean: .percent(1), gap: 5)),
            "reorder: a packet overtakes on the delay line; give the direction a delay"
        ),
        (
            ten { $0.loss = .bursts(mean: .percent(1), burst: 0.9) },
            "loss: a burst is 1 to 1,000,000 packets on average"
        ),
        (
            ten { $0.loss = .bursts(mean: .percent(1), burst: 1_000_001) },
            "loss: a burst is 1 to 1,000,000 packets on average"
        ),
        (
            ten { $0.loss = .bursts(mean: .percent(1), burst: .nan) },
            "loss: a burst is 1 to 1,000,000 packets on average"
        ),
        (
            ten { $0.loss = .bursts(mean: .one, burst: 5) },
            "loss: 100% loss has no bursts; write loss: 100%"
        ),
        (
            ten { $0.loss = .bursts(mean: .percent(90), burst: 2) },
            "loss: bursts of 2 packets cannot lose 90% of all packets, since a packet arrives "
                + "between two bursts; make the bursts longer"
        ),
        (ten { $0.queue = .packets(0) }, "queue: 0 packets is outside 1 to 10000000"),
        (ten { $0.queue = .packets(-1) }, "queue: -1 packets is outside 1 to 10000000"),
        (
            ten { $0.queue = .bytes(ByteCount(bytes: .max)) },
            "queue: 12297829382473035 packets is outside 1 to 10000000"
        ),
        (ten { $0.queue = .bytes(ByteCount(bytes: 0)) }, "queue: a queue holds at least 1 packet"),
        (ten { $0.queue = .time(.zero) }, "queue: a queue holds at least 1 packet"),
        (
            DirectionConditions(queue: .packets(5)),
            "queue: nothing queues where no bandwidth limits; give the direction one"
        ),
        (
            DirectionConditions(aqm: .codel),
            "aqm: nothing queues where no bandwidth limits; give the direction one"
        ),
    ]

    @Test("What cannot be is named with its field and the way out", arguments: unsound)
    func problems(conditions: DirectionConditions, text: String) {
        #expect(conditions.problem?.description == text)
        #expect(LinkConditions(down: conditions).problem?.description == "down.\(text)")
        #expect(LinkConditions(up: conditions).problem?.description == "up.\(text)")
    }

    @Test("A lookup cannot wait longer than any protocol does")
    func dns() {
        let conditions = LinkConditions(dnsDelay: .seconds(601))
        #expect(
            conditions.problem?.description
                == "dns.delay: 601 s is too long; the longest delay is 600 s")
    }

    private static let sound = [
        DirectionConditions(), ten,
        ten { $0.bandwidth = .bitsPerSecond(8) },
        ten { $0.bandwidth = .bitsPerSecond(1_000_000_000_000) },
        ten { $0.delay = .seconds(600) },
        ten { $0.jitter = Jitter(amount: .seconds(600)) },
        ten { $0.loss = .random(.one) },
        ten { $0.loss = .bursts(mean: .percent(50), burst: 1) },
        ten { $0.loss = .bursts(mean: .percent(1), burst: 1_000_000) },
        ten { $0.queue = .packets(10_000_000) },
        ten { $0.reorder = Reordering(mean: .percent(1)) },
        DirectionConditions(queue: .packets(9), aqm: .codel, trace: "x.trace"),
    ]

    @Test("The limits themselves are sound", arguments: sound)
    func soundConditions(conditions: DirectionConditions) {
        #expect(conditions.problem == nil)
    }

    @Test("A black hole spelled out loses everything and keeps the rest")
    func blackhole() {
        let conditions = LinkConditions(down: Self.ten, isBlackhole: true)
        let explicit = conditions.withExplicitLoss
        #expect(explicit.down == Self.ten { $0.loss = .random(.one) })
        #expect(explicit.up.loss == .random(.one))
        #expect(!explicit.isBlackhole)
        #expect(LinkConditions(down: Self.ten).withExplicitLoss == LinkConditions(down: Self.ten))
    }

    @Test("A round trip sees the delay of both directions")
    func roundTrip() {
        let conditions = LinkConditions(
            down: .init(delay: .milliseconds(50)), up: .init(delay: .milliseconds(65)))
        #expect(conditions.roundTripTime == .milliseconds(115))
    }
}

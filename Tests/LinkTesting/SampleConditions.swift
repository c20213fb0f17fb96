public import LinkModel
import LinkUnits

/// Conditions of every kind that the kernel data plane can carry out.
public enum SampleConditions {
    /// By the name of the golden file that has their plan.
    public static let all: [(name: String, conditions: LinkConditions)] = [
        ("perfect", LinkConditions()),
        ("lte", lte),
        (
            "delay-only",
            both(DirectionConditions(delay: .milliseconds(25)))
        ),
        (
            "lossy",
            both(
                DirectionConditions(
                    bandwidth: .megabitsPerSecond(1), delay: .milliseconds(500),
                    loss: .random(.percent(10)), corrupt: Ratio(knownPartsPerBillion: 1_000_000)))
        ),
        (
            "bursts",
            both(
                DirectionConditions(
                    bandwidth: .megabitsPerSecond(2), delay: .milliseconds(100),
                    loss: .bursts(mean: .percent(2), burst: 8), queue: .time(.milliseconds(200))))
        ),
        (
            "jitter-normal",
            both(
                DirectionConditions(
                    delay: .milliseconds(50), jitter: Jitter(amount: .milliseconds(10))))
        ),
        (
            "jitter-uniform",
            both(
                DirectionConditions(
                    bandwidth: .megabitsPerSecond(20), delay: .milliseconds(50),
                    jitter: Jitter(amount: .milliseconds(5), distribution: .uniform)))
        ),
        (
            "reorder",
            both(
                DirectionConditions(
                    delay: .milliseconds(20), reorder: Reordering(mean: .percent(1), gap: 5)))
        ),
        (
            "duplicate",
            both(DirectionConditions(delay: .milliseconds(20), duplicate: .percent(1)))
        ),
        (
            "duplicate-with-bandwidth",
            both(
                DirectionConditions(
                    bandwidth: .megabitsPerSecond(10), delay: .milliseconds(40),
                    loss: .random(.percent(1)), duplicate: .percent(2), queue: .packets(60)))
        ),
        ("dns", dns(DirectionConditions(delay: .milliseconds(10)))),
        (
            "dns-with-loss",
            dns(
                DirectionConditions(
                    bandwidth: .megabitsPerSecond(5), delay: .milliseconds(30),
                    loss: .random(.percent(3))))
        ),
        ("codel", managed(.codel)), ("fq_codel", managed(.fqCodel)), ("pie", managed(.pie)),
        ("blackhole", LinkConditions(isBlackhole: true)),
        (
            "asymmetric",
            LinkConditions(
                down: DirectionConditions(
                    bandwidth: .megabitsPerSecond(16), delay: .milliseconds(20),
                    queue: .packets(100), aqm: .codel),
                up: DirectionConditions(
                    bandwidth: .kilobitsPerSecond(780), delay: .milliseconds(30),
                    loss: .random(Ratio(knownPartsPerBillion: 1_300_000)),
                    queue: .bytes(ByteCount(bytes: 65_536))),
                dnsDelay: .seconds(3))
        ),
    ]

    /// The profile LTE.
    public static let lte = LinkConditions(
        down: DirectionConditions(bandwidth: .megabitsPerSecond(50), delay: .milliseconds(50)),
        up: DirectionConditions(bandwidth: .megabitsPerSecond(10), delay: .milliseconds(65)))

    /// The conditions with this name.
    public static subscript(_ name: String) -> LinkConditions {
        guard let found = all.first(where: { $0.name == name }) else {
            preconditionFailure("\(name) is one of the samples")
        }
        return found.conditions
    }

    private static func both(_ direction: DirectionConditions) -> LinkConditions {
        LinkConditions(down: direction, up: direction)
    }

    private static func dns(_ direction: DirectionConditions) -> LinkConditions {
        LinkConditions(down: direction, up: direction, dnsDelay: .milliseconds(400))
    }

    private static func managed(_ aqm: QueueManagement) -> LinkConditions {
        both(
            DirectionConditions(
                bandwidth: .megabitsPerSecond(10), delay: .milliseconds(30),
                loss: .random(.percent(1)), aqm: aqm))
    }

    /// Any conditions that are sound and that the kernel data plane can carry out.
    public static func random(_ random: inout SeededGenerator) -> LinkConditions {
        var conditions = LinkConditions()
        conditions.down = direction(&random)
        conditions.up = direction(&random)
        if conditions.up.duplicate == .zero, conditions.up.aqm == .dropTail,
            Int.random(in: 0..<3, using: &random) == 0
        {
            conditions.dnsDelay = .milliseconds(Int64.random(in: 1...5000, using: &random))
        }
        return conditions
    }

    private static func direction(_ random: inout SeededGenerator) -> DirectionConditions {
        func isChosen() -> Bool { Int.random(in: 0..<3, using: &random) == 0 }
        func ratio() -> Ratio {
            Ratio(knownPartsPerBillion: UInt32.random(in: 1...300, using: &random) * 1_000_000)
        }
        var direction = DirectionConditions()
        if !isChosen() {
            // The kernel keeps whole bytes per second, and in front of an AQM counts headers too:
            // there, only a rate rounder than that is told as it was asked for.
            direction.bandwidth = .bitsPerSecond(8 * (1 + random.nextOfAnySize() % 100_000_000))
            if isChosen() {
                direction.queue = .packets(Int.random(in: 1...100_000, using: &random))
            }
            if isChosen() {
                direction.aqm = QueueManagement.allCases.randomElement(using: &random) ?? .codel
                let kilobits = UInt64.random(in: 10...9999, using: &random)
                direction.bandwidth = .kilobitsPerSecond(kilobits)
            }
        }
        direction.delay = .microseconds(Int64.random(in: 0...2_000_000, using: &random))
        if isChosen() {
            direction.jitter = Jitter(
                amount: .microseconds(Int64.random(in: 1...500_000, using: &random)),
                distribution: Jitter.Distribution.allCases.randomElement(using: &random) ?? .normal)
        }
        if isChosen() {
            direction.loss = .random(ratio())
        } else if isChosen() {
            let bursts: [Double] = [1, 1.5, 2, 4, 8, 25]
            let burst = bursts.randomElement(using: &random) ?? 1
            direction.loss = .bursts(mean: ratio(), burst: burst)
        }
        if isChosen() { direction.corrupt = ratio() }
        if isChosen() { direction.duplicate = ratio() }
        if isChosen(), direction.delay > .zero {
            direction.reorder = Reordering(
                mean: ratio(), gap: Int.random(in: 1...100, using: &random))
        }
        return direction
    }
}

extension LinkConditions {
    /// The conditions as the kernel's state tells them, which has no defaults and no black holes
    /// by name.
    public var asReported: LinkConditions {
        var conditions = withExplicitLoss
        conditions.down.queue = conditions.down.reportedQueue
        conditions.up.queue = conditions.up.reportedQueue
        return conditions
    }
}

extension DirectionConditions {
    fileprivate var reportedQueue: QueueLimit? {
        bandwidth == nil ? nil : queuePackets.map { .packets($0) }
    }
}

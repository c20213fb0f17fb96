public import LinkUnits

/// A condition that no link can have, or that contradicts another.
public struct ConditionProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the field, as a profile writes it: `down.loss`.
    public let field: String
    /// What is wrong and what to do about it.
    public let explanation: String

    /// The field and what is wrong with it.
    public var description: String { "\(field): \(explanation)" }
}

extension LinkConditions {
    /// The first impossible condition, or nil if the conditions are sound.
    public var problem: ConditionProblem? {
        if let problem = down.problem {
            return ConditionProblem(
                field: "down.\(problem.field)", explanation: problem.explanation)
        }
        if let problem = up.problem {
            return ConditionProblem(field: "up.\(problem.field)", explanation: problem.explanation)
        }
        if let dnsDelay, dnsDelay > DirectionConditions.longestDelay {
            return ConditionProblem(
                field: "dns.delay",
                explanation: DirectionConditions.tooLong(dnsDelay))
        }
        if dnsDelay != nil, let delay = middle?.dns?.delay, delay > .zero {
            return ConditionProblem(
                field: "middle.dns.delay",
                explanation: "and dns.delay both make answers late; leave one of them out")
        }
        if let problem = familyProblem { return problem }
        return middle?.problem.map {
            ConditionProblem(
                field: $0.field.isEmpty ? "middle" : "middle.\($0.field)",
                explanation: $0.explanation)
        }
    }
}

extension LinkConditions {
    /// A link that IPv6 does not cross, in a network that has nothing else.
    private var familyProblem: ConditionProblem? {
        guard let family = middle?.family, !family.hasIPv4 else { return nil }
        for (name, direction) in [("down", down), ("up", up)] {
            guard let mtu = direction.mtu, mtu.bytes < NetworkFamily.leastIPv6MTU else { continue }
            return ConditionProblem(
                field: "\(name).mtu",
                explanation:
                    "\(mtu.bytes) bytes is less than the \(NetworkFamily.leastIPv6MTU) that "
                    + "IPv6 needs, and family: \(family.rawValue) leaves nothing else; raise it, or "
                    + "leave one of them out")
        }
        return nil
    }
}

extension DirectionConditions {
    /// The longest delay accepted: no transport protocol waits longer.
    public static let longestDelay = Duration.seconds(600)

    /// The slowest rate accepted: the kernel counts whole bytes per second.
    public static let slowestBandwidth = Bandwidth.bitsPerSecond(8)

    /// The fastest rate accepted; faster links need no conditioner.
    public static let fastestBandwidth = Bandwidth.bitsPerSecond(1_000_000_000_000)

    /// The longest queue accepted, in packets.
    public static let longestQueue = 10_000_000

    static func tooLong(_ duration: Duration) -> String {
        "\(duration.unitText) is too long; the longest delay is \(longestDelay.unitText)"
    }

    /// The first impossible condition, or nil if the conditions are sound.
    public var problem: ConditionProblem? {
        rateProblem ?? delayProblem ?? lossProblem ?? queueProblem
    }

    private var rateProblem: ConditionProblem? {
        if bandwidth != nil, trace != nil {
            return ConditionProblem(
                field: "trace", explanation: "a trace replaces the bandwidth; leave one of them out"
            )
        }
        if let bandwidth, !(Self.slowestBandwidth...Self.fastestBandwidth).contains(bandwidth) {
            return ConditionProblem(
                field: "bandwidth",
                explanation: "\(bandwidth) is outside \(Self.slowestBandwidth) to "
                    + "\(Self.fastestBandwidth); write \"unlimited\" for no limit")
        }
        return nil
    }

    private var delayProblem: ConditionProblem? {
        if delay > Self.longestDelay {
            return ConditionProblem(field: "delay", explanation: Self.tooLong(delay))
        }
        if let jitter, jitter.amount > Self.longestDelay {
            return ConditionProblem(field: "jitter", explanation: Self.tooLong(jitter.amount))
        }
        if let reorder {
            if reorder.gap < 1 {
                return ConditionProblem(
                    field: "reorder", explanation: "the gap is at least 1 packet")
            }
            if delay == .zero {
                return ConditionProblem(
                    field: "reorder",
                    explanation: "a packet overtakes on the delay line; give the direction a delay")
            }
        }
        return nil
    }

    private var lossProblem: ConditionProblem? {
        guard case .bursts(let mean, let burst) = loss else { return nil }
        if !(burst >= 1 && burst <= 1_000_000) {
            return ConditionProblem(
                field: "loss", explanation: "a burst is 1 to 1,000,000 packets on average")
        }
        if mean == .one {
            return ConditionProblem(
                field: "loss", explanation: "100% loss has no bursts; write loss: 100%")
        }
        if loss.gilbertTransitions == nil {
            return ConditionProblem(
                field: "loss",
                explanation: "bursts of \(LossModel.text(ofBurst: burst)) packets cannot lose "
                    + "\(mean) of all packets, since a packet arrives between two bursts; "
                    + "make the bursts longer")
        }
        return nil
    }

    private var queueProblem: ConditionProblem? {
        if ecn == true, aqm == .dropTail {
            return ConditionProblem(
                field: "ecn",
                explanation: "drop-tail marks nothing; give the direction an aqm, such as fq_codel")
        }
        guard bandwidth == nil, trace == nil else {
            switch queue {
            // Both would count as one packet although the user asked for none.
            case .bytes(ByteCount(bytes: 0)), .time(.zero):
                return ConditionProblem(
                    field: "queue", explanation: "a queue holds at least 1 packet")
            default: break
            }
            guard let count = queuePackets, !(1...Self.longestQueue).contains(count) else {
                return nil
            }
            return ConditionProblem(
                field: "queue", explanation: "\(count) packets is outside 1 to \(Self.longestQueue)"
            )
        }
        if queue != nil {
            return ConditionProblem(
                field: "queue",
                explanation: "nothing queues where no bandwidth limits; give the direction one")
        }
        if aqm != .dropTail {
            return ConditionProblem(
                field: "aqm",
                explanation: "nothing queues where no bandwidth limits; give the direction one")
        }
        return nil
    }
}

import LinkUnits

extension ConditionField {
    /// All fields, in the order in which profiles list them.
    public static let all = [
        bandwidth, delay, jitter, distribution, loss, duplicate, corrupt, reorder, queue, aqm, ecn,
        trace, mtu, icmp,
    ]

    private static let bandwidth = ConditionField(
        "bandwidth", \.bandwidth,
        // A change can remove a profile's limit with `unlimited`.
        .quantity(
            { text throws(QuantityError) in
                text == "unlimited" ? nil : try Bandwidth(parsing: text)
            }, { $0?.description }), .rate, isAlwaysShown: true,
        scale: .bandwidth,
        json: { ["bandwidthBitsPerSecond": $0.bandwidth?.bitsPerSecond] },
        text: { $0.bandwidth?.description ?? ($0.trace == nil ? "unlimited" : nil) },
        ramp: { $0.limits.bandwidth })

    private static let delay = ConditionField(
        "delay", \.delay, .quantity(Duration.init(parsing:), \.unitText), .delay,
        isAlwaysShown: true, scale: .duration,
        json: { ["delayMilliseconds": $0.delay.milliseconds] },
        ramp: { $0.between(\.delay) })

    private static let jitter = ConditionField(
        "jitter", \.jitterAmount, .quantity(Duration.init(parsing:), \.unitText), .delay,
        scale: .duration,
        json: { ["jitterMilliseconds": $0.jitterAmount.milliseconds] },
        text: { $0.jitter.map { "\($0.amount.unitText), \($0.distribution)" } },
        ramp: { $0.between(\.jitterAmount) })

    private static let distribution = ConditionField(
        "distribution", \.jitterDistribution, .choice(), .delay,
        needs: {
            $0.jitter == nil ? "says how jitter is distributed; give a jitter too" : nil
        },
        json: { ["jitterDistribution": $0.jitterDistribution.rawValue] },
        // The text of the jitter includes it.
        text: { _ in nil },
        ramp: { ($0.target.jitter ?? $0.start.jitter)?.distribution ?? .normal })

    private static let loss = ConditionField(
        "loss", \.loss,
        .share(
            and: "burst", "a mean number of packets, such as 8",
            read: { mean, burst in burst.map { .bursts(mean: mean, burst: $0) } ?? .random(mean) },
            write: { ($0.mean, $0.writtenBurst.map(LossModel.text(ofBurst:))) }),
        .loss, isAlwaysShown: true, scale: .share,
        json: {
            ["lossRatio": $0.loss.mean.value, "lossBurstPackets": $0.loss.writtenBurst ?? 1]
        },
        text: { conditions in
            guard let burst = conditions.loss.writtenBurst else {
                return conditions.loss == .none ? nil : conditions.loss.mean.description
            }
            return "\(conditions.loss.mean) in bursts of \(LossModel.text(ofBurst: burst)) packets"
        },
        ramp: { $0.between(\.loss) })

    private static let duplicate = ConditionField(
        "duplicate", \.duplicate, .quantity(Ratio.init(parsing:), \.description), .copies,
        scale: .share,
        json: { ["duplicateRatio": $0.duplicate.value] },
        ramp: { $0.between(\.duplicate) })

    private static let corrupt = ConditionField(
        "corrupt", \.corrupt, .quantity(Ratio.init(parsing:), \.description), .copies,
        scale: .share,
        json: { ["corruptRatio": $0.corrupt.value] },
        ramp: { $0.between(\.corrupt) })

    private static let reorder = ConditionField(
        "reorder", \.reorder,
        .share(
            and: "gap", "a number of packets, such as 5",
            read: { mean, gap in
                mean == .zero && gap == nil ? nil : Reordering(mean: mean, gap: gap ?? 1)
            },
            write: { $0.map { ($0.mean, "\($0.gap)") } }), .delay, scale: .share,
        json: {
            [
                "reorderRatio": $0.reorder?.mean.value ?? 0,
                "reorderGapPackets": $0.reorder?.gap ?? 0,
            ]
        },
        text: {
            $0.reorder.map { $0.gap == 1 ? "\($0.mean)" : "\($0.mean), gap \($0.gap) packets" }
        },
        ramp: \.reorder)

    private static let queue = ConditionField(
        "queue", \.queue,
        .quantity(
            { text throws(QuantityError) in try QueueLimit(parsing: text) }, { $0?.description }),
        .queue, isAlwaysShown: true, scale: .queue,
        json: { ["queuePackets": $0.queuePackets] },
        text: {
            let packets = $0.queuePackets.map { "\($0) packets" }
            return switch $0.queue {
            case .packets, nil: packets
            case let limit?: "\(limit)" + (packets.map { " (\($0))" } ?? "")
            }
        },
        ramp: { $0.limits.queue })

    private static let aqm = ConditionField(
        "aqm", \.aqm, .choice(), .queue, json: { ["aqm": $0.aqm.rawValue] },
        ramp: { $0.limits.aqm })

    private static let ecn = ConditionField(
        "ecn", \.ecn, .flag, .queue,
        json: { ["ecn": $0.aqm != .dropTail && $0.marksPackets] },
        text: { $0.aqm != .dropTail && $0.marksPackets ? "marks" : nil },
        ramp: { $0.limits.ecn })

    private static let trace = ConditionField(
        "trace", \.trace, .text, .rate,
        json: { ["trace": $0.trace] },
        ramp: { $0.limits.trace })

    private static let mtu = ConditionField(
        "mtu", \.mtuBytes,
        // `unlimited` works as for the bandwidth.
        .quantity(
            { text throws(QuantityError) in
                text == "unlimited" ? nil : try LinkMTU.bytes(parsing: text)
            }, { $0.map { "\($0)" } }), .rate, scale: .bytes,
        json: { ["mtuBytes": $0.mtu?.bytes] },
        text: { $0.mtu.map { "\($0.bytes) bytes" + ($0.icmp == .silent ? ", silent" : "") } })

    private static let icmp = ConditionField(
        "icmp", \.icmpAnswers, .choice(), .rate,
        needs: {
            $0.mtu == nil ? "says who learns that a packet exceeds the mtu; give an mtu too" : nil
        },
        json: { ["icmp": $0.icmpAnswers.rawValue] },
        // The text of the MTU includes it.
        text: { _ in nil })
}

// These properties combine two fields each: a distribution means nothing without a jitter, and an
// ICMP answer nothing without an MTU.
extension DirectionConditions {
    fileprivate var jitterAmount: Duration {
        get { jitter?.amount ?? .zero }
        set {
            let distribution = jitterDistribution
            jitter = newValue > .zero ? Jitter(amount: newValue, distribution: distribution) : nil
        }
    }

    fileprivate var jitterDistribution: Jitter.Distribution {
        get { jitter?.distribution ?? .normal }
        set { jitter?.distribution = newValue }
    }

    fileprivate var mtuBytes: Int? {
        get { mtu?.bytes }
        set { mtu = newValue.map { LinkMTU(bytes: $0, icmp: icmpAnswers) } }
    }

    fileprivate var icmpAnswers: LinkMTU.Answers {
        get { mtu?.icmp ?? .answered }
        set { mtu?.icmp = newValue }
    }
}

extension LossModel {
    fileprivate var writtenBurst: Double? {
        if case .bursts(_, let burst) = self { burst } else { nil }
    }
}

import LinkModel
import LinkUnits

/// A profile as `list --json` and `show --json` print it. The keys are a promise: see
/// `Profiles/schema/show.schema.json`.
struct ProfileJSON: Encodable {
    struct DNS: Encodable {
        let delayMilliseconds: Double

        init(_ delay: Duration) { delayMilliseconds = delay.milliseconds }
    }

    let name: String
    let family: String
    let id: String
    let aliases: [String]
    let summary: String
    let source: String
    let interface: String
    let down: DirectionJSON
    let up: DirectionJSON
    let dns: OrNull<DNS>
    let expensive: Bool
    let constrained: Bool
    let blackhole: Bool

    init(_ profile: Profile) {
        name = profile.name
        family = profile.family
        id = profile.id
        aliases = profile.aliases
        summary = profile.summary
        source = profile.source
        interface = profile.interface.rawValue
        // A reader who knows nothing of black holes still sees that everything is lost.
        let conditions = profile.conditions.withExplicitLoss
        down = DirectionJSON(conditions.down)
        up = DirectionJSON(conditions.up)
        dns = OrNull(conditions.dnsDelay.map(DNS.init))
        expensive = profile.isExpensive
        constrained = profile.isConstrained
        blackhole = profile.conditions.isBlackhole
    }
}

/// The conditions of one direction, wherever linkcond prints them as JSON.
struct DirectionJSON: Encodable {
    let bandwidthBitsPerSecond: OrNull<UInt64>
    let delayMilliseconds: Double
    let jitterMilliseconds: Double
    let jitterDistribution: String
    let lossRatio: Double
    let lossBurstPackets: Double
    let duplicateRatio: Double
    let corruptRatio: Double
    let reorderRatio: Double
    let reorderGapPackets: Int
    let queuePackets: OrNull<Int>
    let aqm: String
    let ecn: Bool
    let trace: OrNull<String>

    init(_ conditions: DirectionConditions) {
        bandwidthBitsPerSecond = OrNull(conditions.bandwidth?.bitsPerSecond)
        delayMilliseconds = conditions.delay.milliseconds
        jitterMilliseconds = conditions.jitter?.amount.milliseconds ?? 0
        jitterDistribution = (conditions.jitter?.distribution ?? .normal).rawValue
        lossRatio = conditions.loss.mean.value
        lossBurstPackets =
            if case .bursts(_, let burst) = conditions.loss { burst } else { 1 }
        duplicateRatio = conditions.duplicate.value
        corruptRatio = conditions.corrupt.value
        reorderRatio = conditions.reorder?.mean.value ?? 0
        reorderGapPackets = conditions.reorder?.gap ?? 0
        queuePackets = OrNull(conditions.queuePackets)
        aqm = conditions.aqm.rawValue
        ecn = conditions.aqm != .dropTail && conditions.marksPackets
        trace = OrNull(conditions.trace)
    }
}

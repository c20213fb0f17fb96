public import LinkModel
import LinkUnits

extension ProbePlan {
    /// Plans the measurement of a link under `conditions`.
    ///
    /// The ways up and down are measured at the same time, except where that would be so many
    /// packets that the machine itself is in the way. Within a way, a flow begins when the link is
    /// expected to have forgotten the one before.
    public init(_ conditions: LinkConditions, effort: Effort) {
        var planner = Planner(conditions.withExplicitLoss, effort)
        self = planner.make()
    }
}

/// Lays flows out in time.
private struct Planner {
    private let link: LinkConditions
    private let effort: Effort
    private var plan = ProbePlan()
    private var free: [Direction: Duration] = [:]
    private var nextPort: UInt16 = 47_000

    /// Between what one flow leaves behind and the next.
    private static let pause = Duration.milliseconds(60)
    /// Two ways above this together keep a small machine too busy to be exact.
    private static let fast = 30_000_000.0

    init(_ link: LinkConditions, _ effort: Effort) {
        self.link = link
        self.effort = effort
    }

    mutating func make() -> ProbePlan {
        // Neighbours have to find each other first.
        let lead = Self.pause * 3 + [link.up, link.down].reduce(.zero) { $0 + $1.longestDelay } * 2
        free = [.up: lead, .down: lead]
        for direction in Direction.allCases {
            addDelay(direction)
            addLoss(direction)
        }
        addDNS()
        if Direction.allCases.reduce(0, { $0 + overloadRate($1) }) > Self.fast { meet() }
        for direction in Direction.allCases {
            addSaturation(direction)
            if overloadRate(direction) > Self.fast / 2 { meet() }
        }
        meet()
        addTransfers()
        addConnects()
        plan.duration = (free.values.max() ?? .zero) + Self.pause
        return plan
    }

    private func conditions(_ direction: Direction) -> DirectionConditions {
        direction.conditions(of: link)
    }

    /// Lets nothing begin on either way before both are free.
    private mutating func meet() {
        let time = free.values.max() ?? .zero
        free = [.up: time, .down: time]
    }

    private mutating func port() -> UInt16 {
        nextPort += 1
        return nextPort
    }

    private mutating func add(
        _ purpose: ProbePlan.Purpose, _ direction: Direction, _ family: InternetFamily = .ipv4,
        port: UInt16? = nil, packetBytes: Int, _ segments: [ProbePlan.Segment],
        drain: Duration = .zero
    ) {
        let flow = ProbePlan.Flow(
            purpose: purpose, direction: direction, family: family, port: port ?? self.port(),
            packetBytes: packetBytes, start: free[direction] ?? .zero, segments: segments)
        plan.flows.append(flow)
        free[direction] =
            flow.start + flow.duration + drain + conditions(direction).longestDelay + Self.pause
    }

    // MARK: Delay

    private mutating func addDelay(_ direction: Direction) {
        let conditions = conditions(direction)
        // Nothing would come of it.
        guard conditions.loss.mean < .one else { return }
        for (purpose, family) in [
            (ProbePlan.Purpose.delay, InternetFamily.ipv4), (.delayIPv6, .ipv6),
        ] {
            let bytes = family.leastPacket
            guard conditions.canProbe(family) else { continue }
            let interval = max(
                .milliseconds(5), conditions.serialization(ofBytes: bytes) * 3,
                // So far apart that no late packet holds the next.
                (conditions.jitter?.amount ?? .zero) * 4)
            let wanted =
                purpose == .delayIPv6
                ? 10 : conditions.jitter == nil ? effort.delayProbes : effort.jitterProbes
            let possible = max(10, Int(effort.delayTime / interval))
            add(
                purpose, direction, family, packetBytes: bytes,
                [.init(count: min(wanted, possible), interval: interval)])
        }
    }

    // MARK: Loss and what is like it

    private mutating func addLoss(_ direction: Direction) {
        let conditions = conditions(direction)
        // Damage to the headers is loss; damage to the rest can be seen.
        let bytes =
            conditions.corrupt > .zero
            ? min(300, Int(conditions.fullPacket.bytes)) : InternetFamily.ipv4.leastPacket
        let fastest = Duration.microseconds(500)
        let interval =
            conditions.trace == nil
            ? max(
                fastest, conditions.serialization(ofBytes: bytes) * 5 / 3,
                // Packets held behind a late one are a burst, and netem counts them to its limit:
                // so few that the smallest queue, of 50, holds them.
                (conditions.jitter?.amount ?? .zero) / 5) : .milliseconds(20)
        let rarest = conditions.eventShares.min()
        let wanted = max(
            Double(effort.lossProbes), rarest.map { effort.rareEvents / $0 } ?? 0)
        let possible = max(10, Int(effort.lossTime / interval))
        add(
            .loss, direction, packetBytes: bytes,
            [.init(count: Int(min(wanted, Double(possible))), interval: interval)])
    }

    // MARK: DNS

    private mutating func addDNS() {
        guard let delay = link.dnsDelay, link.up.loss.mean < .one else { return }
        for family in InternetFamily.allCases where link.up.canProbe(family) {
            let bytes = family.leastPacket
            let interval = max(.milliseconds(20), link.up.serialization(ofBytes: bytes) * 3)
            let segment = ProbePlan.Segment(count: 10, interval: interval)
            add(.dnsReference, .up, family, packetBytes: bytes, [segment])
            add(.dns, .up, family, port: 53, packetBytes: bytes, [segment], drain: delay)
        }
    }

    // MARK: Bandwidth and queue

    /// The bits per second that saturate the way.
    private func overloadRate(_ direction: Direction) -> Double {
        let conditions = conditions(direction)
        guard conditions.loss.mean < .one, conditions.trace == nil else { return 0 }
        return conditions.bandwidth.map { Double($0.bitsPerSecond) * 1.15 } ?? 100_000_000
    }

    private mutating func addSaturation(_ direction: Direction) {
        let conditions = conditions(direction)
        let overload = overloadRate(direction)
        guard overload > 0 else { return }
        let bytes = conditions.saturationPacket(effort)
        let packetTime = { (rate: Double) in Duration.seconds(Double(bytes * 8) / rate) }
        guard let bandwidth = conditions.bandwidth else {
            // No limit to be found: only to see that so much passes.
            let interval = packetTime(overload)
            let count = Int(.milliseconds(300) / interval)
            add(
                .saturation, direction, packetBytes: bytes,
                [.init(count: count, interval: interval)])
            return
        }
        let rate = Double(bandwidth.bitsPerSecond)
        let hold = packetTime(overload)
        var segments = [
            ProbePlan.Segment(count: max(30, Int(effort.overload / hold)), interval: hold)
        ]
        var standing = Double(segments[0].count) * 0.15
        if let queue = conditions.fillableQueue(effort) {
            // First fill the queue, in no time if the link is slow.
            let fillRate = max(2 * rate, min(50 * rate, 30_000_000))
            let count = 1.25 * Double(queue) / (1 - rate / fillRate) + 10
            segments.insert(
                .init(count: Int(count), interval: packetTime(fillRate)), at: 0)
            standing = Double(queue)
        }
        add(
            .saturation, direction, packetBytes: bytes, segments,
            drain: packetTime(rate) * (standing + 2))
    }

    // MARK: TCP

    private mutating func addTransfers() {
        for direction in Direction.allCases {
            guard let loaded = link.loadedRoundTrip(for: direction) else { continue }
            let transfer = ProbePlan.Transfer(
                direction: direction, port: port(), start: free[direction] ?? .zero,
                warmUp: max(.seconds(1), loaded * 4), window: max(.seconds(3), loaded * 12))
            guard transfer.warmUp + transfer.window <= effort.longestTransfer else { continue }
            plan.transfers.append(transfer)
            free[direction] = transfer.end + loaded * 2 + Self.pause
            meet()
        }
    }

    private mutating func addConnects() {
        guard let delay = link.dnsDelay, link.isLossless else { return }
        let roundTrip = [link.up, link.down].reduce(.zero) { $0 + $1.longestDelay }
        for (port, delay) in [(53, delay), (port(), .zero)] {
            let patience = delay + roundTrip * 2 + .seconds(1)
            let start = free[.up] ?? .zero
            let count = effort.connects
            plan.connects.append(.init(port: port, start: start, count: count, patience: patience))
            // The last packet of a handshake is delayed as well.
            free[.up] = start + (delay + roundTrip + Self.pause) * count + delay
            meet()
        }
    }
}

import LinkModel
import LinkUnits
import TrafficControl

/// The parts of a `ConditioningTree`.
struct TreeParts {
    private let conditions: DirectionConditions
    private let dns: Duration?
    private let ifb: Interface
    private let target: ConditionedLink

    init(
        _ conditions: DirectionConditions, dnsDelay: Duration?, on ifb: Interface,
        target: ConditionedLink
    ) {
        self.conditions = conditions
        self.dns = dnsDelay
        self.ifb = ifb
        self.target = target
    }

    private typealias Handle = Ownership.Handle

    private func qdisc(_ handle: QdiscHandle, at parent: QdiscHandle, _ kind: Qdisc.Kind) -> Qdisc {
        Qdisc(interface: ifb, handle: handle, parent: parent, kind: kind)
    }

    // MARK: Limits

    /// The most packets per second expected through a conditioner.
    private static let mostPacketsPerSecond = 1_000_000.0

    /// The most packets on a delay line: two gigabytes of full-size ones.
    private static let longestDelayLine = 1_000_000

    /// How many DNS packets may wait out their extra delay; netem counts them in the limit of the
    /// bottleneck above them.
    static func dnsAllowance(_ delay: Duration?) -> Int {
        delay.map { Int(($0.milliseconds / 50).rounded(.up)) } ?? 0
    }

    /// The part of a jittery delay that has to come after the bottleneck.
    ///
    /// Before the bottleneck, jitter would bunch packets up, and the queue would overflow. As much
    /// of the delay moves along as the spread requires.
    static func tailDelay(_ conditions: DirectionConditions) -> Duration {
        guard let jitter = conditions.jitter else { return .zero }
        return min(conditions.delay, jitter.amount * 3)
    }

    /// How many full-size packets the tail holds at the bandwidth; netem counts them in the limit
    /// of the bottleneck above it.
    static func tailAllowance(_ conditions: DirectionConditions) -> Int {
        guard let bandwidth = conditions.bandwidth else { return 0 }
        let packets = { (time: Duration) in
            bandwidth.byteCount(in: time).packets(of: DirectionConditions.fullPacket)
        }
        let amount = conditions.jitter?.amount ?? .zero
        // netem draws for every packet, and those behind a late one wait for it: all of them are
        // about as late as the latest of those that fit into one amount. Of n normally distributed
        // numbers the largest is about sqrt(2 ln n) standard deviations above their mean.
        let doublings = max(1, packets(amount)).logarithm
        let excess = (2 * 0.693 * Double(doublings)).squareRoot()
        return packets(tailDelay(conditions) + amount * excess)
    }

    /// How many packets the delay line must hold so that it never drops one.
    static func delayLineLimit(_ conditions: DirectionConditions) -> Int {
        let spread = conditions.jitter?.amount ?? .zero
        let held = (conditions.delay + spread * 4).milliseconds / 1000 * mostPacketsPerSecond
        return min(longestDelayLine, 1000 + Int(held))
    }

    /// How many full-size packets are in flight and queued, where one netem does everything and
    /// counts them together.
    static func sharedLimit(_ conditions: DirectionConditions) -> Int {
        guard let bandwidth = conditions.bandwidth, let queue = conditions.queuePackets else {
            return delayLineLimit(conditions)
        }
        let held = conditions.delay + (conditions.jitter?.amount ?? .zero) * 4
        return queue + bandwidth.byteCount(in: held).packets(of: DirectionConditions.fullPacket)
    }

    // MARK: Qdiscs

    var segmenter: Qdisc {
        qdisc(
            Handle.segmenter, at: .root,
            .tokenBucket(
                TokenBucket(
                    rate: Netem.orderKeepingRate, burst: target.longestFrame,
                    limit: ByteCount(bytes: 100_000_000))))
    }

    var delayLine: Qdisc {
        var netem = Netem(delay: conditions.delay - Self.tailDelay(conditions))
        if conditions.jitter == nil { setReordering(of: &netem) }
        return qdisc(Handle.delayLine, at: Handle.segmenter.child(1), .netem(line(netem)))
    }

    /// The delay line of trees in which nothing can follow the bottleneck.
    var delayLineWithLoss: Qdisc {
        var netem = Netem(delay: conditions.delay)
        setJitter(of: &netem)
        setReordering(of: &netem)
        setLoss(of: &netem)
        netem.duplicate = conditions.duplicate
        return qdisc(Handle.delayLine, at: Handle.segmenter.child(1), .netem(line(netem)))
    }

    var everythingInOne: Qdisc {
        var qdisc = delayLineWithLoss
        guard case .netem(var netem) = qdisc.kind else { return qdisc }
        if let bandwidth = conditions.bandwidth {
            netem.rate = bandwidth
            netem.packetOverhead = target.packetOverhead
        }
        netem.limit = UInt32(clamping: Self.sharedLimit(conditions))
        qdisc.kind = .netem(netem)
        return qdisc
    }

    var bottleneck: Qdisc {
        var netem = Netem()
        netem.rate = conditions.bandwidth
        netem.packetOverhead = conditions.bandwidth == nil ? 0 : target.packetOverhead
        netem.limit = UInt32(
            clamping: (conditions.queuePackets ?? Self.delayLineLimit(conditions))
                + Self.tailAllowance(conditions) + Self.dnsAllowance(dns))
        return qdisc(Handle.bottleneck, at: Handle.delayLine.child(1), .netem(netem))
    }

    var hasTail: Bool {
        conditions.loss != .none || conditions.corrupt > .zero || conditions.jitter != nil
    }

    /// Loss and jitter, after the bottleneck.
    var tail: Qdisc {
        qdisc(Handle.tail, at: Handle.bottleneck.child(1), .netem(tailNetem(extraDelay: .zero)))
    }

    /// Two bands; the second, for DNS, has the extra delay.
    var dnsBranches: [Qdisc] {
        var ordinary = tail
        ordinary.parent = Handle.dnsBands.child(1)
        let delayed = tailNetem(extraDelay: dns ?? .zero)
        return [
            qdisc(Handle.dnsBands, at: Handle.bottleneck.child(1), .priority(bands: 2)), ordinary,
            qdisc(Handle.dnsTail, at: Handle.dnsBands.child(2), .netem(delayed)),
        ]
    }

    private func tailNetem(extraDelay: Duration) -> Netem {
        var netem = Netem(delay: Self.tailDelay(conditions) + extraDelay)
        setJitter(of: &netem)
        if conditions.jitter != nil { setReordering(of: &netem) }
        setLoss(of: &netem)
        return line(netem)
    }

    /// A `netem` that keeps packets in order and never drops what passes the queue.
    private func line(_ netem: Netem) -> Netem {
        var netem = netem
        netem.rate = Netem.orderKeepingRate
        netem.limit = UInt32(
            clamping: Self.delayLineLimit(conditions) + (conditions.queuePackets ?? 0))
        return netem
    }

    private func setJitter(of netem: inout Netem) {
        guard let jitter = conditions.jitter else { return }
        netem.jitter = jitter.amount
        netem.distribution = DelayDistribution(rawValue: jitter.distribution.rawValue)
    }

    private func setReordering(of netem: inout Netem) {
        guard let reorder = conditions.reorder else { return }
        netem.reorder = reorder.mean
        netem.gap = UInt32(clamping: reorder.gap)
    }

    private func setLoss(of netem: inout Netem) {
        if let (p, r) = conditions.loss.gilbertTransitions {
            netem.loss = .gilbert(p: p, r: r)
        } else {
            netem.loss = .random(conditions.loss.mean)
        }
        netem.corrupt = conditions.corrupt
    }

    // MARK: Active queue management

    /// The shaper also counts the link-layer header; scaled like this, full-size packets get the
    /// bandwidth.
    static func shaperRate(_ bandwidth: Bandwidth, headerLength: Int) -> Bandwidth {
        let full = UInt128(DirectionConditions.fullPacket.bytes)
        let scaled =
            UInt128(bandwidth.bitsPerSecond) * (full + UInt128(headerLength)) / full
        return Bandwidth(bitsPerSecond: UInt64(clamping: scaled)) ?? bandwidth
    }

    /// The bandwidth for this shaper rate. The kernel keeps whole bytes per second, so several
    /// bandwidths share a rate; this is the roundest.
    static func bandwidth(ofShaper rate: Bandwidth, headerLength: Int) -> Bandwidth {
        let full = UInt128(DirectionConditions.fullPacket.bytes)
        let header = full + UInt128(headerLength)
        let exact = (UInt128(rate.bitsPerSecond) * full + header / 2) / header
        var roundest = Bandwidth(bitsPerSecond: UInt64(clamping: exact)) ?? rate
        var step: UInt128 = 10
        while step <= exact {
            let rounded = UInt64(clamping: (exact + step / 2) / step * step)
            let candidate = Bandwidth.bitsPerSecond(rounded)
            let shaped = shaperRate(candidate, headerLength: headerLength)
            if (UInt128(shaped.bitsPerSecond) + 4) / 8 == UInt128(rate.bitsPerSecond) / 8 {
                roundest = candidate
            }
            step *= 10
        }
        return roundest
    }

    var shapedQueue: [Qdisc] {
        guard let algorithm = ActiveQueue.Algorithm(rawValue: conditions.aqm.rawValue) else {
            return []
        }
        let queue = ActiveQueue(
            algorithm: algorithm, limit: UInt32(clamping: conditions.queuePackets ?? 1000),
            marks: conditions.marksPackets)
        return [
            qdisc(
                Handle.shaper, at: Handle.delayLine.child(1),
                .hierarchicalTokenBucket(defaultClass: 1)),
            qdisc(Handle.activeQueue, at: Handle.shaper.child(1), .activeQueue(queue)),
        ]
    }

    var shaperClasses: [TrafficClass] {
        guard let bandwidth = conditions.bandwidth else { return [] }
        let rate = Self.shaperRate(bandwidth, headerLength: target.headerLength)
        // Two milliseconds compensate for late timers; less than two packets would stall.
        let burst = max(
            rate.byteCount(in: .milliseconds(2)),
            ByteCount(bytes: 2 * target.longestFrame.bytes))
        return [
            TrafficClass(
                interface: ifb, handle: Handle.shaper.child(1), rate: rate, burst: burst)
        ]
    }

    // MARK: Filters

    private static let dnsPort: UInt16 = 53
    private static let udp: UInt8 = 17
    private static let tcp: UInt8 = 6

    /// Packets to port 53, over UDP and TCP, IPv4 and IPv6.
    var dnsFilters: [Filter] {
        [Self.udp, Self.tcp].flatMap { transport in
            [
                dnsFilter(
                    .ipv4, preference: 1,
                    [
                        .ipv4Protocol(transport), .ipv4FirstFragment,
                        .ipv4DestinationPort(Self.dnsPort),
                    ]),
                dnsFilter(
                    .ipv6, preference: 2,
                    [.ipv6NextHeader(transport), .ipv6DestinationPort(Self.dnsPort)]),
            ]
        }
    }

    private func dnsFilter(
        _ networkProtocol: Filter.NetworkProtocol, preference: UInt16, _ matches: [U32Match]
    ) -> Filter {
        Filter(
            interface: ifb, parent: Handle.dnsBands, preference: preference,
            networkProtocol: networkProtocol, matches: matches,
            verdict: .classify(Handle.dnsBands.child(2)))
    }
}

extension Int {
    /// The base-2 logarithm, rounded down.
    fileprivate var logarithm: Int { Int.bitWidth - 1 - leadingZeroBitCount }
}

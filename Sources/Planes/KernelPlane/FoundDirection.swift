import LinkModel
import LinkUnits
import Netlink
import TrafficControl

/// A conditioned direction as found in the kernel.
struct FoundDirection {
    var mark: OwnershipMark
    var ifb: Interface
    var tree: ConditioningTree
    /// Whether the ifb is up: one that is down loses all packets.
    var isUp = true
    /// The counters of the qdiscs by handle.
    var statistics: [QdiscHandle: TrafficStatistics]

    /// Assembles the tree from the qdiscs found on `ifb`.
    init(
        mark: OwnershipMark, ifb: Interface, states: [QdiscState], classes: [TrafficClass],
        target: ConditionedLink
    ) {
        typealias Handle = Ownership.Handle
        self.mark = mark
        self.ifb = ifb
        let parts = TreeParts(.init(), dnsDelay: nil, on: ifb, target: target)
        // In creation order: the kernel reports them in any order, and our handles rise from the
        // root.
        let ours = states.filter { $0.handle.major != 0 }
            .sorted { $0.handle.rawValue < $1.handle.rawValue }
        let qdiscs = ours.map { state -> Qdisc in
            // The kernel's values for the segmenter are too imprecise to be sent back to it.
            guard state.handle != Handle.segmenter else { return parts.segmenter }
            var kind = state.kind
            if case .netem(var netem) = kind, netem.jitter > .zero {
                netem.distribution = mark.distribution.flatMap {
                    DelayDistribution(rawValue: $0.rawValue)
                }
                kind = .netem(netem)
            }
            return Qdisc(interface: ifb, handle: state.handle, parent: state.parent, kind: kind)
        }
        tree = ConditioningTree(
            qdiscs: qdiscs,
            classes: classes.map { found in
                var found = found
                found.interface = ifb
                return found
            },
            filters: qdiscs.contains { $0.handle == Handle.dnsBands } ? parts.dnsFilters : [])
        statistics = Dictionary(
            states.map { ($0.handle, $0.statistics) }, uniquingKeysWith: { first, _ in first })
    }

    private func netem(_ handle: QdiscHandle) -> Netem? {
        for qdisc in tree.qdiscs where qdisc.handle == handle {
            if case .netem(let netem) = qdisc.kind { return netem }
        }
        return nil
    }

    /// The extra delay of DNS.
    var dnsDelay: Duration? {
        guard let ordinary = netem(Ownership.Handle.tail),
            let delayed = netem(Ownership.Handle.dnsTail), delayed.delay > ordinary.delay
        else { return nil }
        return delayed.delay - ordinary.delay
    }

    /// The conditions of the tree; those of a perfect link if it is damaged.
    func conditions(headerLength: Int) -> DirectionConditions {
        typealias Handle = Ownership.Handle
        var conditions = DirectionConditions()
        guard let line = netem(Handle.delayLine) else { return conditions }
        let tail = netem(Handle.tail)
        let end = tail ?? line
        conditions.delay = line.delay + (tail?.delay ?? .zero)
        if end.jitter > .zero {
            conditions.jitter = Jitter(
                amount: end.jitter, distribution: mark.distribution ?? .uniform)
        }
        for part in [line, end] where part.reorder > .zero {
            conditions.reorder = Reordering(mean: part.reorder, gap: Int(part.gap))
        }
        conditions.duplicate = line.duplicate
        conditions.loss = LossModel(end.loss)
        conditions.corrupt = end.corrupt
        if let bottleneck = netem(Handle.bottleneck) {
            conditions.bandwidth = bottleneck.rate
            if bottleneck.rate != nil {
                let allowance =
                    TreeParts.dnsAllowance(dnsDelay) + TreeParts.tailAllowance(conditions)
                conditions.queue = .packets(Int(bottleneck.limit) - allowance)
            }
        } else if line.rate != Netem.orderKeepingRate {
            conditions.bandwidth = line.rate
            conditions.queue = .packets(0)
            conditions.queue = .packets(Int(line.limit) - TreeParts.sharedLimit(conditions))
        }
        for case .activeQueue(let queue) in tree.qdiscs.map(\.kind) {
            conditions.aqm = QueueManagement(rawValue: queue.algorithm.rawValue) ?? .dropTail
            // Nil where it matches the default.
            conditions.ecn = queue.marks == conditions.aqm.marksByDefault ? nil : queue.marks
            conditions.queue = .packets(Int(queue.limit))
            conditions.bandwidth = tree.classes.first.map {
                TreeParts.bandwidth(ofShaper: $0.rate, headerLength: headerLength)
            }
        }
        return conditions
    }

    /// The traffic counters, without link-layer headers.
    func counters(headerLength: Int) -> DirectionCounters {
        typealias Handle = Ownership.Handle
        let root = statistics[Handle.segmenter] ?? TrafficStatistics()
        let header = UInt64(headerLength)
        let rate = Self.remainder(root.bytesPerSecond, root.packetsPerSecond, header)
        return DirectionCounters(
            packets: root.packets,
            bytes: ByteCount(bytes: Self.remainder(root.bytes, root.packets, header)),
            // Each qdisc counts the drops below it as well.
            dropped: UInt64(root.drops) - min(UInt64(root.drops), losses), lost: losses,
            marked: UInt64(statistics[Handle.activeQueue]?.marks ?? 0),
            queuedPackets: UInt64(root.queuedPackets),
            bitsPerSecond: rate.multipliedSaturated(by: 8))
    }

    /// The drops of the netem that has the loss. In one with a limit as well they cannot be told
    /// from those of its queue.
    private var losses: UInt64 {
        typealias Handle = Ownership.Handle
        func drops(_ handle: QdiscHandle) -> UInt64 { UInt64(statistics[handle]?.drops ?? 0) }
        let line = drops(Handle.delayLine)
        if tree.has(Handle.shaper) { return line - min(line, drops(Handle.shaper)) }
        if !tree.has(Handle.bottleneck), netem(Handle.delayLine)?.rate == Netem.orderKeepingRate {
            return line
        }
        return drops(Handle.tail).addingSaturated(drops(Handle.dnsTail))
    }

    /// The bytes without the headers of these packets.
    private static func remainder(_ bytes: UInt64, _ packets: UInt64, _ header: UInt64) -> UInt64 {
        bytes - min(bytes, packets.multipliedSaturated(by: header))
    }
}

extension LossModel {
    /// The loss model with netem's transitions.
    init(_ loss: Netem.Loss) {
        switch loss {
        case .random(let ratio): self = .random(ratio)
        case .gilbert(let p, let r):
            guard r > .zero else {
                self = .random(.one)
                return
            }
            // Transitions are stored in 32 bits, which shows beyond six digits.
            let mean = (p.value / (p.value + r.value) * 1e6).rounded() / 1e6
            let burst = (1e3 / r.value).rounded() / 1e3
            self = .bursts(mean: Ratio(mean) ?? .one, burst: burst)
        }
    }
}

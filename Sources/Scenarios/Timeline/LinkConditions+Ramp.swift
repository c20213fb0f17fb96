public import LinkModel
import LinkUnits

extension LinkConditions {
    /// The conditions between these and `target`: `fraction` 0 gives these, 1 the target.
    ///
    /// What has a size changes evenly: bandwidth, delay, jitter, loss, queue. What has none changes
    /// at the start of a ramp: the queue management, the distribution of the jitter. Between a
    /// bandwidth and none there is no middle, so the bandwidth holds until the target is reached;
    /// a trace, too, is exchanged at the end.
    public func interpolated(to target: LinkConditions, fraction: Double) -> LinkConditions {
        if fraction <= 0 { return self }
        if fraction >= 1 { return target }
        let (old, new) = (withExplicitLoss, target.withExplicitLoss)
        let dnsDelay = (old.dnsDelay ?? .zero).between(new.dnsDelay ?? .zero, fraction)
        return LinkConditions(
            down: old.down.interpolated(to: new.down, fraction),
            up: old.up.interpolated(to: new.up, fraction),
            dnsDelay: dnsDelay > .zero ? dnsDelay : nil)
    }
}

extension DirectionConditions {
    fileprivate func interpolated(
        to target: DirectionConditions, _ fraction: Double
    ) -> DirectionConditions {
        var middle = limited(on: target, fraction)
        middle.delay = delay.between(target.delay, fraction)
        let amount = (jitter?.amount ?? .zero).between(target.jitter?.amount ?? .zero, fraction)
        let distribution = target.jitter?.distribution ?? jitter?.distribution ?? .normal
        middle.jitter =
            amount > .zero ? Jitter(amount: amount, distribution: distribution) : nil
        middle.loss = loss.between(target.loss, fraction)
        middle.duplicate = duplicate.between(target.duplicate, fraction)
        middle.corrupt = corrupt.between(target.corrupt, fraction)
        let overtaking = (reorder?.mean ?? .zero).between(target.reorder?.mean ?? .zero, fraction)
        // A packet overtakes on the delay line, where there is one.
        middle.reorder =
            overtaking > .zero && middle.delay > .zero
            ? Reordering(mean: overtaking, gap: target.reorder?.gap ?? reorder?.gap ?? 1) : nil
        return middle
    }

    /// Bandwidth and queue on the way to those of `target`, and nothing else.
    private func limited(on target: DirectionConditions, _ fraction: Double) -> DirectionConditions
    {
        guard trace == nil, target.trace == nil else { return limits }
        guard let bandwidth else { return target.limits }
        guard let end = target.bandwidth else { return limits }
        var middle = DirectionConditions(
            bandwidth: bandwidth.between(end, fraction), aqm: target.aqm, ecn: target.ecn)
        // Without a queue of its own each has the default, which follows the bandwidth.
        guard queue != nil || target.queue != nil else { return middle }
        middle.queue = queueLimit(between: target, fraction)
        return middle
    }

    private var limits: DirectionConditions {
        DirectionConditions(
            bandwidth: bandwidth, queue: queue, aqm: aqm, ecn: ecn, trace: trace)
    }

    private func queueLimit(
        between target: DirectionConditions, _ fraction: Double
    ) -> QueueLimit? {
        switch (queue, target.queue) {
        case (.time(let start), .time(let end)): return .time(start.between(end, fraction))
        case (.bytes(let start), .bytes(let end)):
            return .bytes(ByteCount(bytes: start.bytes.between(end.bytes, fraction)))
        default:
            guard let start = queuePackets, let end = target.queuePackets else {
                return target.queue
            }
            return .packets(Int(UInt64(start).between(UInt64(end), fraction)))
        }
    }
}

extension LossModel {
    /// Independent losses are bursts as well, of their own mean length.
    fileprivate func between(_ target: LossModel, _ fraction: Double) -> LossModel {
        let ratio = mean.between(target.mean, fraction)
        if case .random = self, case .random = target { return .random(ratio) }
        let burst = meanLossBurst + (target.meanLossBurst - meanLossBurst) * fraction
        let bursts = LossModel.bursts(mean: ratio, burst: burst)
        return burst.isFinite && bursts.gilbertTransitions != nil ? bursts : .random(ratio)
    }
}

extension Ratio {
    fileprivate func between(_ target: Ratio, _ fraction: Double) -> Ratio {
        let parts = UInt64(partsPerBillion).between(UInt64(target.partsPerBillion), fraction)
        return Ratio(knownPartsPerBillion: UInt32(parts))
    }
}

extension Bandwidth {
    fileprivate func between(_ target: Bandwidth, _ fraction: Double) -> Bandwidth {
        .bitsPerSecond(bitsPerSecond.between(target.bitsPerSecond, fraction))
    }
}

extension Duration {
    fileprivate func between(_ target: Duration, _ fraction: Double) -> Duration {
        .nanoseconds(Int64(wholeNanoseconds.between(target.wholeNanoseconds, fraction)))
    }
}

extension UInt64 {
    /// The whole number on the way to `target`; both may be at most 2^52 apart to be exact.
    fileprivate func between(_ target: UInt64, _ fraction: Double) -> UInt64 {
        let step = Double(target > self ? target - self : self - target) * fraction
        return target > self ? self + UInt64(step.rounded()) : self - UInt64(step.rounded())
    }
}

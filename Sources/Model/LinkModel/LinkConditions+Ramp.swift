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
            down: RampStep(start: old.down, target: new.down, fraction: fraction).conditions,
            up: RampStep(start: old.up, target: new.up, fraction: fraction).conditions,
            dnsDelay: dnsDelay > .zero ? dnsDelay : nil)
    }
}

/// A moment between the conditions at the two ends of a ramp.
struct RampStep: Sendable {
    let start: DirectionConditions
    let target: DirectionConditions
    let fraction: Double

    var conditions: DirectionConditions {
        var middle = DirectionConditions()
        for field in ConditionField.all { field.ramp(self, &middle) }
        return middle
    }

    /// A size on the way to that of the target.
    func between<Size: Interpolable>(_ size: (DirectionConditions) -> Size) -> Size {
        size(start).between(size(target), fraction)
    }

    var reorder: Reordering? {
        let overtaking = between { $0.reorder?.mean ?? .zero }
        // A packet overtakes on the delay line, where there is one.
        guard overtaking > .zero, between(\.delay) > .zero else { return nil }
        return Reordering(mean: overtaking, gap: (target.reorder ?? start.reorder)?.gap ?? 1)
    }

    /// What limits the rate, and its queue: both depend on each other. The other fields are of no
    /// account.
    var limits: DirectionConditions {
        guard start.trace == nil, target.trace == nil else { return start }
        guard let bandwidth = start.bandwidth else { return target }
        guard let end = target.bandwidth else { return start }
        var middle = DirectionConditions(
            bandwidth: bandwidth.between(end, fraction), aqm: target.aqm, ecn: target.ecn)
        // Without a queue of its own each has the default, which follows the bandwidth.
        guard start.queue != nil || target.queue != nil else { return middle }
        middle.queue = queue
        return middle
    }

    private var queue: QueueLimit? {
        switch (start.queue, target.queue) {
        case (.time(let start), .time(let end)): return .time(start.between(end, fraction))
        case (.bytes(let start), .bytes(let end)):
            return .bytes(ByteCount(bytes: start.bytes.between(end.bytes, fraction)))
        default:
            guard let start = start.queuePackets, let end = target.queuePackets else {
                return target.queue
            }
            return .packets(Int(UInt64(start).between(UInt64(end), fraction)))
        }
    }
}

/// What has a size, and so a value between two others.
protocol Interpolable {
    func between(_ target: Self, _ fraction: Double) -> Self
}

extension LossModel: Interpolable {
    /// Independent losses are bursts as well, of their own mean length.
    func between(_ target: LossModel, _ fraction: Double) -> LossModel {
        let ratio = mean.between(target.mean, fraction)
        if case .random = self, case .random = target { return .random(ratio) }
        let burst = meanLossBurst + (target.meanLossBurst - meanLossBurst) * fraction
        let bursts = LossModel.bursts(mean: ratio, burst: burst)
        return burst.isFinite && bursts.gilbertTransitions != nil ? bursts : .random(ratio)
    }
}

extension Ratio: Interpolable {
    func between(_ target: Ratio, _ fraction: Double) -> Ratio {
        let parts = UInt64(partsPerBillion).between(UInt64(target.partsPerBillion), fraction)
        return Ratio(knownPartsPerBillion: UInt32(parts))
    }
}

extension Bandwidth: Interpolable {
    func between(_ target: Bandwidth, _ fraction: Double) -> Bandwidth {
        .bitsPerSecond(bitsPerSecond.between(target.bitsPerSecond, fraction))
    }
}

extension Duration: Interpolable {
    func between(_ target: Duration, _ fraction: Double) -> Duration {
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

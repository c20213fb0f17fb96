import LinkUnits

extension LinkConditions {
    /// The conditions between these and `target`: `fraction` 0 gives these, 1 the target.
    ///
    /// Quantities change linearly: bandwidth, delay, jitter, loss, queue. Other properties change
    /// at the start of a ramp: the AQM, the distribution of the jitter, what stands in the middle. There is no value between a
    /// bandwidth and no limit, so the bandwidth stays until the ramp ends. A trace, too, is
    /// replaced at the end.
    public func interpolated(to target: LinkConditions, fraction: Double) -> LinkConditions {
        if fraction <= 0 { return self }
        if fraction >= 1 { return target }
        let (old, new) = (withExplicitLoss, target.withExplicitLoss)
        let dnsDelay = (old.dnsDelay ?? .zero).between(new.dnsDelay ?? .zero, fraction)
        return LinkConditions(
            down: RampStep(start: old.down, target: new.down, fraction: fraction).conditions,
            up: RampStep(start: old.up, target: new.up, fraction: fraction).conditions,
            dnsDelay: dnsDelay > .zero ? dnsDelay : nil, middle: new.middle)
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

    /// The value of a quantity at this moment.
    func between<Size: Interpolable>(_ size: (DirectionConditions) -> Size) -> Size {
        size(start).between(size(target), fraction)
    }

    var reorder: Reordering? {
        let overtaking = between { $0.reorder?.mean ?? .zero }
        // Packets can only overtake others on a delay line.
        guard overtaking > .zero, between(\.delay) > .zero else { return nil }
        return Reordering(mean: overtaking, gap: (target.reorder ?? start.reorder)?.gap ?? 1)
    }

    /// The rate limit and its queue, which depend on each other. The other fields do not matter
    /// here.
    var limits: DirectionConditions {
        guard start.trace == nil, target.trace == nil else { return start }
        guard let bandwidth = start.bandwidth else { return target }
        guard let end = target.bandwidth else { return start }
        var middle = DirectionConditions(
            bandwidth: bandwidth.between(end, fraction), aqm: target.aqm, ecn: target.ecn)
        // Without an explicit queue each end has the default, which follows from the bandwidth.
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

/// A quantity that can be interpolated.
protocol Interpolable {
    func between(_ target: Self, _ fraction: Double) -> Self
}

extension LossModel: Interpolable {
    /// Independent losses are treated as bursts with their own mean length.
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
    /// The whole number at `fraction` of the way to `target`; exact if they differ by at most 2^52.
    fileprivate func between(_ target: UInt64, _ fraction: Double) -> UInt64 {
        let step = Double(target > self ? target - self : self - target) * fraction
        return target > self ? self + UInt64(step.rounded()) : self - UInt64(step.rounded())
    }
}

package import LinkModel
import LinkUnits
import Recording
import Verification

/// Makes conditions of what was seen of a direction, each number with its interval.
package struct DirectionAnalysis {
    let seen: DirectionObservations
    let direction: Direction
    let sharesClock: Bool

    /// The bandwidth in bits per second, if it is fixed and was seen.
    var rate: RateEstimate?
    /// The share lost behind the queue.
    var loss = 0.0

    /// The probability with which an interval misses.
    static let error = 0.05
    /// The corresponding deviations of a normal variable.
    static let deviations = 1.96

    package init(
        _ seen: DirectionObservations, _ direction: Direction, sharesClock: Bool
    ) {
        (self.seen, self.direction, self.sharesClock) = (seen, direction, sharesClock)
        if let steady = seen.steady, steady.seen.sent > 0 {
            let arrived = steady.arrived + steady.seen.arrivals.damaged
            loss = max(0, 1 - Double(arrived) / Double(steady.seen.sent))
        }
        if seen.varying == nil, let overload = seen.overload {
            rate = RateEstimate(
                overload, loss: loss, jitter: seen.idleSpread,
                idle: LossBursts(seen.idle + [seen.steady].compactMap(\.self)))
        }
    }

    /// All that was learned.
    package var learned: LearnedDirection {
        var learned = LearnedDirection()
        let delay = delay(&learned)
        bandwidth(&learned)
        addLoss(&learned)
        addQueue(&learned, delay: delay)
        addRareEvents(&learned)
        addMTU(&learned)
        return learned
    }

    /// What a packet of this size takes at the bandwidth, in milliseconds.
    func serialization(_ bytes: Int) -> Double {
        rate.map { Double(bytes * 8000) / $0.value } ?? 0
    }

    // MARK: Bandwidth

    private func bandwidth(_ learned: inout LearnedDirection) {
        if let varying = seen.varying {
            return addTrace(varying, &learned)
        }
        if let passed = seen.passed {
            learned.values.append(
                LearnedValue(
                    "bandwidth", .notVisible, low: passed,
                    how: "not limited as far as can be seen: \(Rounding.rate(passed)) passed, and "
                        + "more was not sent"))
            return
        }
        guard let rate else {
            learned.values.append(
                .hidden("bandwidth", "not visible: too few packets of the overload arrived"))
            return
        }
        let interval = "95%: \(Rounding.rate(rate.low)) to \(Rounding.rate(rate.high))"
        guard rate.isSaturated else {
            learned.values.append(
                LearnedValue(
                    "bandwidth", .bound, value: rate.value, low: rate.value,
                    how: "not visible: \(Rounding.rate(rate.value)) passed, and more could not be "
                        + "sent"))
            return
        }
        let bandwidth = Rounding.bandwidth(rate.value)
        learned.conditions.bandwidth = bandwidth
        learned.values.append(
            LearnedValue(
                "bandwidth", .measured, text: bandwidth.description, value: rate.value,
                low: rate.low, high: rate.high,
                how:
                    "from \(rate.packets) arrivals while \(Rounding.rate(rate.offered)) were sent, "
                    + "with IP headers; \(interval)"))
    }

    private func addTrace(_ varying: ObservedTrain, _ learned: inout LearnedDirection) {
        var recording = TraceRecording()
        for time in varying.arrivalTimes {
            recording.add(
                ByteCount(bytes: UInt64(varying.train.packetBytes)),
                at: .nanoseconds(time))
        }
        guard let trace = recording.trace else {
            learned.values.append(
                .hidden("trace", "not visible: the bandwidth varies, but too little arrived"))
            return
        }
        learned.trace = trace
        let statistics = TraceStatistics(trace)
        let rates = [5, 50, 95].map {
            Rounding.rate(Double(max(1, statistics.rate(percentile: $0))))
        }
        learned.values.append(
            LearnedValue(
                "trace", .measured, value: Double(trace.meanBandwidth.bitsPerSecond),
                how: "the bandwidth varies: in tenths of a second it is \(rates[0]), \(rates[1]) "
                    + "and \(rates[2]) (percentiles 5, 50, 95), "
                    + "\(Rounding.rate(Double(trace.meanBandwidth.bitsPerSecond))) on average in "
                    + "the \(trace.period.unitText) that were recorded"))
    }

    // MARK: MTU

    private func addMTU(_ learned: inout LearnedDirection) {
        guard let mtu = seen.mtu else {
            guard let passing = seen.passingBytes else { return }
            learned.values.append(
                LearnedValue(
                    "mtu", .notVisible, low: Double(passing),
                    how: "packets of \(passing) bytes pass; larger ones were not tried"))
            return
        }
        guard LinkMTU.range.contains(mtu) else { return }
        let isTold = direction == .up ? seen.toldMTU.map { $0 <= mtu } : nil
        learned.conditions.mtu = LinkMTU(bytes: mtu, icmp: isTold == false ? .silent : .answered)
        learned.values.append(
            LearnedValue(
                "mtu", .measured, text: "\(mtu)", value: Double(mtu), low: Double(mtu),
                high: Double(mtu),
                how: "packets of \(mtu) bytes arrive, larger ones do not"
                    + (isTold == true
                        ? "; ICMP tells the sender"
                        : isTold == false ? "; no ICMP tells the sender" : "")))
        if isTold == false {
            learned.values.append(
                LearnedValue(
                    "icmp", .measured, text: "silent", how: "no ICMP came for the larger packets"))
        }
    }
}

import LinkModel
import LinkUnits

extension LinkJudge {
    /// Checks bandwidth and queue with packets sent above the bandwidth.
    func saturation(_ direction: Direction) -> [Check] {
        seen(.saturation, direction).flatMap { seen -> [Check] in
            let conditions = direction.conditions(of: link)
            let rate = measuredRate(seen, conditions)
            guard let bandwidth = conditions.bandwidth else {
                return [
                    Check(
                        direction, .bandwidth, unjudged: rate, because: "unlimited; sent 100 Mbit/s"
                    )
                ]
            }
            let expected = Double(bandwidth.bitsPerSecond)
            let offered = (seen.offered ?? 0) * Double(seen.flow.packetBytes * 8)
            // A link that is not saturated shows neither; but it must pass what it was offered.
            if offered < expected * 1.03, let rate, rate > offered * 0.97 {
                let because = "this machine cannot send so fast"
                return [
                    Check(direction, .bandwidth, unjudged: rate, because: because),
                    Check(direction, .queue, unjudged: nil, because: because),
                ]
            }
            var checks = [
                Check(
                    direction, .bandwidth, expected: expected, measured: rate,
                    tolerance: expected
                        * (effort.bandwidthError + rateError(seen, conditions)
                            + min(seen.disturbance, Self.worstDisturbance)))
            ]
            if let queue = conditions.fillableQueue(effort), conditions.loss.mean < .one {
                checks.append(self.queue(seen, conditions, limit: queue, rate: rate))
            }
            return checks.map { check in
                // A disturbed machine reduces the rate and never raises it.
                guard check.verdict == .failed, seen.disturbance > Self.worstDisturbance,
                    check.measured ?? 0 < check.expected ?? 0
                else { return check }
                return Check(
                    direction, check.quantity, unjudged: check.measured,
                    because: Check.busyMachine)
            }
        }
    }

    /// If the machine disturbs sender and receiver more than this, nothing can be judged.
    private static let worstDisturbance = 0.1

    /// The rate of the bottleneck in bits per second: what arrives plus what is lost after it.
    private func measuredRate(_ seen: SeenFlow, _ conditions: DirectionConditions) -> Double? {
        let counted =
            isToldByQueue(conditions)
            // A full queue accepts a packet whenever one leaves. Which packets it accepted, and
            // when they were sent, is known however late they arrive.
            ? seen.behindFilling.map { seen.arrivals.sent[$0] }
            // A bottleneck may let an initial burst through at once.
            : seen.firsts.dropFirst(seen.firsts.count / 10).map { seen.arrivals.received[$0] }
        let times = counted.map { Double($0 - counted[0]) / 1e9 }
        guard times.count >= 10, let packets = Statistics.rate(ofEventsAt: times) else {
            return nil
        }
        let passing = (1 - conditions.loss.mean.value) * (1 - conditions.corrupt.value)
        return passing > 0 ? packets * Double(seen.flow.packetBytes * 8) / passing : nil
    }

    /// Whether the packets that the queue accepts determine the rate better than their arrival
    /// times.
    private func isToldByQueue(_ conditions: DirectionConditions) -> Bool {
        conditions.jitter != nil && conditions.fillableQueue(effort) != nil
    }

    /// The error by chance of the rate, as a share of it.
    private func rateError(_ seen: SeenFlow, _ conditions: DirectionConditions) -> Double {
        let count = Double(
            max(10, isToldByQueue(conditions) ? seen.behindFilling.count : seen.firsts.count))
        let lost = min(0.99, conditions.loss.mean.value + conditions.corrupt.value)
        let losses = (lost / (1 - lost) / (count * conditions.loss.independentShare)).squareRoot()
        guard let jitter = conditions.jitter else { return Statistics.deviations * losses }
        // Whether the queue accepts one packet more or less depends on timing.
        if isToldByQueue(conditions) { return Statistics.deviations * losses + 1 / count }
        // Jitter moves the ends of the regression line through the arrivals.
        let time = seen.flow.duration
        let independent = min(count, max(1, time / jitter.memory))
        let spread = jitter.amount / time * (12 / independent).squareRoot()
        return Statistics.deviations * (losses + spread)
    }

    /// Checks how many packets the queue holds when it is full.
    private func queue(
        _ seen: SeenFlow, _ conditions: DirectionConditions, limit: Int, rate: Double?
    ) -> Check {
        let direction = seen.flow.direction
        let packetTime = conditions.serialization(ofBytes: seen.flow.packetBytes).milliseconds
        // Without a queue, a packet takes the idle delay plus its longer serialization.
        let idle = self.seen(.delay, direction).first.flatMap { idle in
            Statistics.median(idle.delays).map {
                $0 - conditions.serialization(ofBytes: idle.flow.packetBytes).milliseconds
                    + packetTime
            }
        }
        // Packets sent during the overload that arrived: each found a full queue.
        let delays = seen.behindFilling.map(seen.delay)
        let standing = Statistics.median(delays).flatMap { full in
            idle.map { (full - $0) / packetTime }
        }
        let jitter = (conditions.jitter?.amount ?? .zero).milliseconds
        // Packets stay in order: in a stream, each packet is as late as the latest of its
        // neighbours.
        guard jitter * 4 < packetTime * Double(limit) * 0.1 else {
            return Check(direction, .queue, unjudged: standing, because: "hidden by the jitter")
        }
        let chance =
            Statistics.deviations * 1.25 * jitter / Double(max(1, delays.count)).squareRoot()
        // One packet is being transmitted, which some count as queued; another is just leaving.
        let tolerance =
            2 + (effort.queueError + min(seen.disturbance, Self.worstDisturbance)) * Double(limit)
            + (effort.delayError.milliseconds + chance) / packetTime
        return Check(
            direction, .queue, expected: Double(limit), measured: standing, tolerance: tolerance)
    }

    /// Checks the goodput of TCP transfers.
    func transfers(_ direction: Direction) -> [Check] {
        plan.transfers.indices.compactMap { index -> Check? in
            let conditions = direction.conditions(of: link)
            guard plan.transfers[index].direction == direction,
                let bandwidth = conditions.bandwidth
            else { return nil }
            let transfer = report.transfers[index] ?? .init()
            let bytes = Statistics.steadyRate(times: transfer.times, totals: transfer.totals)
            // IP and TCP headers with the usual options.
            let full = Double(conditions.fullPacket.bytes)
            let expected = Double(bandwidth.bitsPerSecond) * (full - 52) / full
            return Check(
                direction, .goodput, expected: expected,
                measured: bytes.map { $0 * 8 }, tolerance: expected * effort.goodputError,
                detail: "TCP")
        }
    }
}

extension SeenFlow {
    /// The share of packets that the machine failed to send or receive in time.
    fileprivate var disturbance: Double {
        heldUp + Double(arrivals.overflows) / Double(max(1, arrivals.overflows + firsts.count))
    }

    /// The indices in `arrivals` of packets sent after the queue was full.
    fileprivate var behindFilling: [Int] {
        let filled = UInt32(flow.segments.first?.count ?? 0)
        return firsts.filter { arrivals.numbers[$0] >= filled }
    }
}

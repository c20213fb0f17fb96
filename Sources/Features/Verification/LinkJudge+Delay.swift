import LinkModel
import LinkUnits

extension LinkJudge {
    /// Checks the delay over IPv4 and IPv6, and the jitter.
    func delays(_ direction: Direction) -> [Check] {
        seen(.delay, direction).flatMap { flow in
            [delay(of: flow, direction, detail: nil), jitter(of: flow, direction)]
                .map { excuse($0, flow) }
        }
            + seen(.delayIPv6, direction).map { flow in
                excuse(delay(of: flow, direction, detail: "IPv6"), flow)
            } + unfit(.delay, direction)
    }

    /// Says that the MTU has no room for probes over IPv6.
    private func unfit(_ quantity: Check.Quantity, _ direction: Direction) -> [Check] {
        let way = direction.conditions(of: link)
        guard way.loss.mean < .one, !way.canProbe(.ipv6) else { return [] }
        let bytes = InternetFamily.ipv6.leastPacket
        let because = "the mtu is too small for IPv6 probes of \(bytes) bytes"
        return [Check(direction, quantity, unjudged: nil, because: because)]
    }

    private func excuse(_ check: Check, _ seen: SeenFlow) -> Check {
        // A slow machine makes delays longer and more spread, never the opposite.
        guard check.verdict == .failed, seen.lateness > Self.worstLateness,
            let measured = check.measured, measured > check.expected ?? 0
        else { return check }
        return Check(
            check.direction, check.quantity, unjudged: measured, because: Check.busyMachine)
    }

    private func delay(of seen: SeenFlow, _ direction: Direction, detail: String?) -> Check {
        let conditions = direction.conditions(of: link)
        let expectation = DelayExpectation(conditions, bytes: seen.flow.packetBytes)
        let delays = delays(of: seen, expectation)
        // A busy machine delays some probes and none arrives early, which does not affect the lower
        // quartile. But its expected value is known only for a delay without jitter.
        let measured =
            conditions.jitter == nil
            ? Statistics.percentile(0.25, of: delays) : Statistics.mean(delays)
        if conditions.trace != nil {
            return Check(direction, .delay, unjudged: measured, because: "follows the trace")
        }
        if measured == nil, mayAllBeLost(seen.sent, conditions) {
            return Check(direction, .delay, unjudged: nil, because: "all probes were lost")
        }
        return Check(
            direction, .delay, expected: expectation.mean, measured: measured,
            tolerance: delayError(of: expectation.mean) + min(seen.lateness, Self.worstLateness)
                + expectation.meanError(count: delays.count, interval: seen.interval),
            detail: detail)
    }

    private func jitter(of seen: SeenFlow, _ direction: Direction) -> Check {
        let conditions = direction.conditions(of: link)
        let expectation = DelayExpectation(conditions, bytes: seen.flow.packetBytes)
        let delays = delays(of: seen, expectation)
        let isSteady = conditions.jitter == nil
        let measured =
            isSteady
            ? Statistics.robustDeviation(delays) : Statistics.standardDeviation(delays)
        if conditions.trace != nil {
            return Check(direction, .jitter, unjudged: measured, because: "follows the trace")
        }
        if delays.count < 5, mayAllBeLost(max(0, seen.sent - 5), conditions) {
            return Check(direction, .jitter, unjudged: measured, because: "too few arrived")
        }
        return Check(
            direction, .jitter, expected: expectation.deviation, measured: measured,
            tolerance: effort.delayError.milliseconds + min(seen.lateness, Self.worstLateness)
                + effort.relativeJitterError * expectation.deviation
                + expectation.deviationError(count: delays.count, interval: seen.interval))
    }

    /// The delays of a flow without the longest one in a hundred if a busy machine made them longer
    /// than this link can: a very late packet changes the mean, and the deviation even more.
    private func delays(of seen: SeenFlow, _ expectation: DelayExpectation) -> [Double] {
        let delays = seen.delays
        let greatest = expectation.greatest + delayError(of: expectation.greatest)
        let isTooLong = { (delay: Double) in delay > greatest }
        guard delays.count(where: isTooLong) <= max(1, delays.count / 100) else { return delays }
        return delays.filter { !isTooLong($0) }
    }

    /// The instrument's error at this delay, in milliseconds.
    private func delayError(of expected: Double) -> Double {
        effort.delayError.milliseconds + effort.relativeDelayError * expected
    }

    // MARK: DNS

    /// Checks how much later packets to port 53 arrive than others.
    var dns: [Check] {
        guard let extra = link.dnsDelay else { return [] }
        let pairs = zip(seen(.dns, .up), seen(.dnsReference, .up))
        var checks = pairs.map { dns, reference -> Check in
            let detail = "UDP, \(dns.flow.family == .ipv4 ? "IPv4" : "IPv6")"
            if let obstacle = dns.obstacle {
                return Check(.up, .dns, unjudged: nil, because: obstacle)
            }
            let delays = dns.delays
            if delays.isEmpty || reference.delays.isEmpty, mayAllBeLost(dns.sent, link.up) {
                return Check(.up, .dns, unjudged: nil, because: "all probes were lost")
            }
            let spread = DelayExpectation(link.up, bytes: dns.flow.packetBytes)
            return dnsCheck(
                extra, delays, reference.delays, quickest: 0.25,
                chance: min(max(dns.lateness, reference.lateness), Self.worstLateness)
                    + spread.meanError(count: delays.count, interval: dns.interval)
                    + spread.meanError(
                        count: reference.delays.count, interval: reference.interval),
                detail: detail)
        }
        checks += unfit(.dns, .up)
        let isReachable = seen(.dns, .up).allSatisfy { $0.obstacle == nil }
        if plan.connects.count == 2, isReachable {
            let times = plan.connects.indices.map { index in
                (report.connects[index] ?? []).map(\.milliseconds)
            }
            let spread = DelayExpectation(link.up, bytes: 60)
            // Neighbours probe each other now and then, which adds traffic.
            let inTheWay = [link.up, link.down].reduce(.zero) {
                $0 + $1.serialization(ofBytes: 72) * 2
            }
            checks.append(
                dnsCheck(
                    extra, times[0], times[1], quickest: 0,
                    chance: inTheWay.milliseconds
                        + spread.meanError(count: times[0].count, interval: extra) * 4,
                    detail: "TCP"))
        }
        return checks
    }

    /// - Parameter quickest: The share of packets, without jitter, that even a busy machine does
    ///   not delay.
    private func dnsCheck(
        _ extra: Duration, _ delayed: [Double], _ others: [Double], quickest: Double,
        chance: Double, detail: String
    ) -> Check {
        let typical = { (times: [Double]) in
            link.up.jitter == nil
                ? Statistics.percentile(quickest, of: times) : Statistics.mean(times)
        }
        let difference = typical(delayed).flatMap { late in typical(others).map { late - $0 } }
        return Check(
            .up, .dns, expected: extra.milliseconds, measured: difference,
            tolerance: delayError(of: extra.milliseconds) + chance, detail: detail)
    }
}

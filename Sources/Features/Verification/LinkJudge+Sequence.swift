import LinkModel
import LinkUnits
import Recording

extension LinkJudge {
    /// Checks loss, bursts, reordering, duplicates and corruption with packets sent below the
    /// bandwidth.
    func sequence(_ direction: Direction) -> [Check] {
        seen(.loss, direction).flatMap { seen in
            let conditions = direction.conditions(of: link)
            if seen.sent == 0 {
                return [
                    Check(direction, .loss, unjudged: nil, because: "no packet could be sent")
                ]
            }
            var checks = [loss(seen, conditions)]
            // Without arrivals nothing can be judged.
            guard conditions.loss.mean < .one else { return checks }
            if conditions.loss.mean > .zero { checks.append(burst(seen, conditions)) }
            checks.append(reorder(seen, conditions))
            checks.append(
                share(
                    direction, .duplicate, expected: conditions.duplicate.value,
                    count: seen.duplicates, of: seen.firsts.count))
            checks.append(corrupt(seen, conditions))
            return checks
        }
    }

    private func loss(_ seen: SeenFlow, _ conditions: DirectionConditions) -> Check {
        let arrivals = seen.arrivals
        let arrived = seen.firsts.count + arrivals.damaged + arrivals.overflows
        let lost = max(0, seen.sent - arrived)
        if conditions.trace != nil {
            return Check(
                seen.flow.direction, .loss, unjudged: Double(lost) / Double(seen.sent),
                because: "the queue may overflow while the trace lets nothing pass")
        }
        // A packet with a corrupted header does not arrive.
        let inHeaders = conditions.corrupt.value * Self.headers / Double(seen.flow.packetBytes)
        return share(
            seen.flow.direction, .loss,
            expected: conditions.loss.mean.value + (1 - conditions.loss.mean.value) * inHeaders,
            count: lost, of: seen.sent, worth: conditions.loss.independentShare, slack: inHeaders)
    }

    /// Bytes of Ethernet, IP and UDP headers. Which of them can be corrupted, and which matter,
    /// depends on the data plane.
    private static let headers = 42.0

    private func burst(_ seen: SeenFlow, _ conditions: DirectionConditions) -> Check {
        let direction = seen.flow.direction
        let runs = Statistics.runs(seen.isLost)
        let lost = runs.reduce(0, +)
        let measured = runs.isEmpty ? nil : Double(lost) / Double(runs.count)
        guard conditions.corrupt == .zero, seen.arrivals.overflows == 0, conditions.trace == nil
        else {
            return Check(direction, .burst, unjudged: measured, because: "losses of other kinds")
        }
        guard let measured, runs.count >= 3 else {
            return Check(direction, .burst, unjudged: measured, because: "too few losses")
        }
        // Each lost packet ends a run of losses with the same probability, 1 / mean length.
        let ends = ProportionInterval(
            successes: Double(runs.count), trials: Double(lost), error: Statistics.errorProbability)
        let expected = conditions.loss.meanLossBurst
        let limit = expected < measured ? 1 / ends.high : 1 / ends.low
        return Check(
            direction, .burst, expected: expected, measured: measured,
            tolerance: abs(measured - limit))
    }

    private func reorder(_ seen: SeenFlow, _ conditions: DirectionConditions) -> Check {
        let direction = seen.flow.direction
        let count = seen.overtakers
        let arrived = seen.firsts.count
        let interval = seen.flow.segments.first?.interval ?? .zero
        if conditions.overtaking > 0, conditions.delay < interval * 4 {
            return Check(
                direction, .reorder, unjudged: Double(count) / Double(max(1, arrived)),
                because: "too few packets are under way at a time")
        }
        return share(
            direction, .reorder, expected: conditions.overtaking, count: count, of: arrived)
    }

    private func corrupt(_ seen: SeenFlow, _ conditions: DirectionConditions) -> Check {
        let damaged = seen.arrivals.damaged
        let share = conditions.corrupt.value
        let inHeaders = share * Self.headers / Double(seen.flow.packetBytes)
        return self.share(
            seen.flow.direction, .corrupt, expected: share - inHeaders / 2, count: damaged,
            of: seen.firsts.count + damaged, slack: inHeaders)
    }

    /// Compares a count with the expected share of `total`.
    ///
    /// An expectation of never or always must hold without exception.
    ///
    /// - Parameters:
    ///   - worth: The effective share of a correlated sample.
    ///   - slack: Other acceptable error of the share.
    private func share(
        _ direction: Direction, _ quantity: Check.Quantity, expected: Double, count: Int,
        of total: Int, worth: Double = 1, slack: Double = 0
    ) -> Check {
        guard total > 0 else {
            return Check(direction, quantity, unjudged: nil, because: "no packet arrived")
        }
        let measured = Double(count) / Double(total)
        guard expected > 0, expected < 1 else {
            return Check(
                direction, quantity, expected: expected, measured: measured, tolerance: 0)
        }
        let interval = ProportionInterval(
            successes: Double(count) * worth, trials: Double(total) * worth,
            error: Statistics.errorProbability)
        let chance = expected > measured ? interval.high - measured : measured - interval.low
        return Check(
            direction, quantity, expected: expected, measured: measured,
            tolerance: chance + slack)
    }
}

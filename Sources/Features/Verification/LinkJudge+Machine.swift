import LinkModel
import LinkUnits

/// Excuses the link for faults of the machine.
extension LinkJudge {
    /// In milliseconds; if the machine itself is later than this, delays cannot be judged.
    static let worstLateness = 3.0

    /// Withdraws a failed verdict if the emulation reports that it did not keep up, and that
    /// explains the failure.
    func excuse(_ check: Check) -> Check {
        // On a machine that is busy enough a transfer does not even begin.
        let leastMeasured: Double? = check.quantity == .goodput ? 0 : nil
        guard check.verdict == .failed, let measured = check.measured ?? leastMeasured,
            let expected = check.expected
        else { return check }
        let isExcused =
            switch check.quantity {
            case .delay, .jitter: isLate(check.direction) && measured > expected
            case .dns: Direction.allCases.contains(where: isLate)
            case .queue: isLate(check.direction) || losesItself(check.direction)
            case .bandwidth, .goodput:
                (Direction.allCases.contains(where: isLate) || losesItself(check.direction))
                    && measured < expected
            case .loss: losesItself(check.direction) && measured > expected
            case .burst: losesItself(check.direction)
            case .reorder, .duplicate, .corrupt: false
            }
        guard isExcused else { return check }
        return Check(
            check.direction, check.quantity, unjudged: check.measured, because: Check.busyMachine)
    }

    /// Whether more than one packet in a hundred was later than the instrument's error, or than
    /// allowed.
    private func isLate(_ direction: Direction) -> Bool {
        let delay = direction.conditions(of: link).delay
        let limit = min(effort.delayError, tolerance.limit(delay: delay))
        return (report.emulation[direction]?.lateness ?? 0) > limit.milliseconds
    }

    private func losesItself(_ direction: Direction) -> Bool {
        (report.emulation[direction]?.unwantedDrops ?? 0) > 0
    }
}

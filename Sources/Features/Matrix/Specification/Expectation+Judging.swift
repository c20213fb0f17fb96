import LinkModel
import LinkUnits
import Recording

extension Expectations {
    /// The values that expectations are compared with.
    struct Findings {
        var exitCode: Int32
        var seconds: Double
        /// Nil if not counted.
        var transferred: ByteCount?
        /// Nil if not counted.
        var requests: UInt64?
        /// Nil if the path was never constrained, or if not counted.
        var constrained: ConstrainedUse?
        /// Nil if the command did not pass without conditions.
        var baselineSeconds: Double?
    }

    /// The results of the expectations that are set.
    func judge(_ findings: Findings) -> [ExpectationResult] {
        var results: [ExpectationResult] = []
        if let exit {
            results.append(
                ExpectationResult(
                    expected: "exit: \(exit)", actual: SignalName.exitCodeText(findings.exitCode),
                    isMet: exit.isMet(by: findings.exitCode)))
        }
        if let duration { results.append(duration.judge(findings)) }
        if let transferred { results.append(transferred.judge(findings)) }
        if let requests { results.append(requests.judge(findings)) }
        return results
    }
}

extension TransferExpectation {
    fileprivate func judge(_ findings: Expectations.Findings) -> ExpectationResult {
        let isMet = findings.transferred.map { side.holds($0, limit) } ?? false
        let actual = findings.transferred.map { count in
            // Rounded, a count just beyond the limit would look like the limit.
            !isMet && count.decimalText == limit.decimalText ? count.exactText : count.decimalText
        }
        return ExpectationResult(
            expected: "transferred: \(self)", actual: actual ?? "not counted", isMet: isMet)
    }
}

extension RequestExpectation {
    fileprivate func judge(_ findings: Expectations.Findings) -> ExpectationResult {
        let expected = "requests: \(self)"
        if case .count(let side, let limit) = self {
            return ExpectationResult(
                expected: expected,
                actual: findings.requests.map { "\($0) request\($0 == 1 ? "" : "s")" }
                    ?? "not counted",
                isMet: findings.requests.map { side.holds($0, limit) } ?? false)
        }
        guard let use = findings.constrained else {
            return ExpectationResult(
                expected: expected, actual: "the path was never constrained", isMet: false)
        }
        let packets =
            switch use.requests {
            case 0: "nothing"
            case 1: "1 packet"
            default: "\(use.requests) packets"
            }
        return ExpectationResult(
            expected: expected,
            actual: "sent \(packets) in \(use.seconds.secondsText) of a constrained path",
            isMet: use.requests == 0)
    }
}

extension DurationExpectation {
    fileprivate func judge(_ findings: Expectations.Findings) -> ExpectationResult {
        let expected = "duration: \(self)"
        let time = findings.seconds.secondsText
        switch limit {
        case .time(let limit):
            return ExpectationResult(
                expected: expected, actual: time,
                isMet: side.holds(findings.seconds, limit / .seconds(1)))
        case .baseline(let factor):
            guard let baseline = findings.baselineSeconds, baseline > 0 else {
                return ExpectationResult(
                    expected: expected, actual: "\(time), but the baseline did not pass",
                    isMet: false)
            }
            let ratio = findings.seconds / baseline
            return ExpectationResult(
                expected: expected, actual: "\(ratio.shortText) x baseline (\(time))",
                isMet: side.holds(ratio, factor))
        }
    }
}

import LinkModel
import Sandbox
import Verification

/// What `verify` measured, for people.
enum VerificationTable {
    static func text(_ results: [LinkVerification], isStyled: Bool) -> String {
        var table = Table([
            "PROFILE", "WAY", "QUANTITY", .right("EXPECTED"), .right("MEASURED"), .right("ERROR"),
            .right("TOLERANCE"), "VERDICT",
        ])
        for result in results {
            for check in result.checks {
                let unit = check.quantity.unit
                let text = { (value: Double?) in value.map { unit.text(of: $0) } ?? "-" }
                table.add([
                    result.profile, check.direction.rawValue, quantity(check),
                    text(check.expected), text(check.measured), text(error(check)),
                    text(check.tolerance), verdict(check),
                ])
            }
        }
        return table.text(isStyled: isStyled) + "\n" + summary(results) + "\n"
    }

    private static func quantity(_ check: Check) -> String {
        guard check.verdict != .notJudged, let detail = check.detail else {
            return check.quantity.rawValue
        }
        return "\(check.quantity.rawValue) (\(detail))"
    }

    private static func error(_ check: Check) -> Double? {
        guard let expected = check.expected, let measured = check.measured else { return nil }
        return measured - expected
    }

    private static func verdict(_ check: Check) -> String {
        switch check.verdict {
        case .passed: check.isWeak ? "ok, weak" : "ok"
        case .failed: check.measured == nil ? "FAILED: nothing arrived" : "FAILED"
        case .notJudged: check.detail ?? "not judged"
        }
    }

    private static func summary(_ results: [LinkVerification]) -> String {
        let judged = results.flatMap(\.checks).count { $0.verdict != .notJudged }
        let failed = results.flatMap(\.checks).count { $0.verdict == .failed }
        let backends = Set(results.map(\.backend.rawValue)).sorted().joined(separator: ", ")
        let open = results.flatMap(\.checks).count { $0.verdict == .notJudged }
        let weak = results.flatMap(\.checks).count(where: \.isWeak)
        let rest =
            (open == 0 ? "" : ", \(open) not judged")
            + (weak == 0 ? "" : ", \(weak) weak (--thorough measures longer)")
        let subject = results.count == 1 ? results[0].profile : "\(results.count) profiles"
        return failed == 0
            ? "\(subject): all of \(judged) checks within tolerance\(rest) (\(backends))."
            : "\(subject): \(failed) of \(judged) checks outside tolerance\(rest) (\(backends))."
    }
}

extension Check.Unit {
    /// A number of this unit for people, with useful precision.
    func text(of value: Double) -> String {
        switch self {
        case .milliseconds: decimals(value, 2) + " ms"
        case .packets: decimals(value, value == value.rounded() ? 0 : 1) + " packets"
        case .share: decimals(value * 100, 2) + "%"
        case .bitsPerSecond:
            abs(value) >= 1e6
                ? decimals(value / 1e6, 2) + " Mbit/s" : decimals(value / 1e3, 1) + " kbit/s"
        }
    }

    /// `value` with this many decimals; "inf" if it is not finite.
    private func decimals(_ value: Double, _ count: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "inf" }
        let scale = (0..<count).reduce(1) { product, _ in product * 10 }
        let scaled = Int((abs(value) * Double(scale)).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard count > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % scale)
        let zeros = String(repeating: "0", count: count - fraction.count)
        return "\(sign)\(scaled / scale).\(zeros)\(fraction)"
    }
}

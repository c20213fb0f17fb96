import LinkModel
import Sandbox

/// The output of `verify --json`. The keys are a stable interface: see
/// `Profiles/schema/verify.schema.json`.
public struct VerificationJSON: Encodable {
    struct Result: Encodable {
        let profile: String
        let backend: String
        let pass: Bool
        let checks: [Entry]
    }

    struct Entry: Encodable {
        let direction: String
        let quantity: String
        @OrNull var detail: String?
        @OrNull var expected: Double?
        @OrNull var measured: Double?
        @OrNull var tolerance: Double?
        let unit: String
        @OrNull var pass: Bool?
        let weak: Bool

        init(_ check: Check) {
            direction = check.direction.rawValue
            quantity = check.quantity.rawValue
            detail = check.detail
            // JSON has no infinity.
            let finite = { (value: Double?) in value.flatMap { $0.isFinite ? $0 : nil } }
            expected = finite(check.expected)
            measured = finite(check.measured)
            tolerance = finite(check.tolerance)
            unit = check.quantity.unit.rawValue
            pass = check.verdict == .notJudged ? nil : check.verdict == .passed
            weak = check.isWeak
        }
    }

    let linkcond: String
    let results: [Result]

    /// Makes the object for the results of this version of linkcond.
    public init(_ results: [LinkVerification], version: String) {
        linkcond = version
        self.results = results.map { result in
            Result(
                profile: result.profile, backend: result.backend.rawValue,
                pass: result.isAsPromised,
                checks: result.checks.map(Entry.init))
        }
    }
}

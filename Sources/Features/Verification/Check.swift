public import LinkModel

/// One quantity of a link: what the profile promises, what was measured, and the verdict.
public struct Check: Sendable, Hashable {
    /// What is checked.
    public enum Quantity: String, Sendable, Hashable, CaseIterable {
        case delay, jitter, loss, burst, reorder, duplicate, corrupt, bandwidth, queue, goodput
        case dns

        /// The unit of its numbers.
        public var unit: Unit {
            switch self {
            case .delay, .jitter, .dns: .milliseconds
            case .loss, .reorder, .duplicate, .corrupt: .share
            case .burst, .queue: .packets
            case .bandwidth, .goodput: .bitsPerSecond
            }
        }
    }

    /// The unit of a check's numbers.
    public enum Unit: String, Sendable, Hashable, CaseIterable {
        case milliseconds = "ms"
        case bitsPerSecond = "bit/s"
        case packets
        /// From 0 to 1.
        case share
    }

    /// Whether the link does what the profile promises.
    public enum Verdict: Sendable, Hashable {
        case passed
        case failed
        /// Nothing was promised, or it cannot be judged.
        case notJudged
    }

    /// The direction checked.
    public var direction: Direction
    /// The quantity checked.
    public var quantity: Quantity
    /// The method, if a quantity is measured in several ways, or why it was not judged.
    public var detail: String?
    /// What the profile promises; nil if nothing.
    public var expected: Double?
    /// What was measured; nil if nothing arrived.
    public var measured: Double?
    /// The largest acceptable difference: the effect of chance plus the instrument's error.
    public var tolerance: Double?
    /// The verdict.
    public var verdict: Verdict

    /// Whether the check is too weak to mean much: chance or the instrument may be off by more than
    /// half the expected value.
    public var isWeak: Bool {
        guard verdict == .passed, let expected, let tolerance, expected > 0 else { return false }
        return tolerance > expected / 2
    }

    /// The reason for not judging if the machine is at fault.
    static let busyMachine = "this machine was too busy"

    /// Compares a measurement with the expected value.
    init(
        _ direction: Direction, _ quantity: Quantity, expected: Double, measured: Double?,
        tolerance: Double, detail: String? = nil
    ) {
        self.direction = direction
        self.quantity = quantity
        self.detail = detail
        self.expected = expected
        self.measured = measured
        self.tolerance = tolerance
        // Rounding errors of sums are not the link's fault.
        let slack = 1e-9 * max(1, abs(expected))
        verdict =
            measured.map { abs($0 - expected) <= tolerance + slack } ?? false ? .passed : .failed
    }

    /// Reports a measurement without a verdict.
    init(
        _ direction: Direction, _ quantity: Quantity, unjudged measured: Double?, because: String
    ) {
        self.direction = direction
        self.quantity = quantity
        self.measured = measured
        detail = because
        verdict = .notJudged
    }
}

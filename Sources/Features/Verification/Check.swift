public import LinkModel

/// One quantity of a link: what the profile promises, what was measured, and the verdict.
public struct Check: Sendable, Hashable {
    /// What is looked at.
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

    /// What the numbers of a check count.
    public enum Unit: String, Sendable, Hashable, CaseIterable {
        case milliseconds = "ms"
        case bitsPerSecond = "bit/s"
        case packets
        /// From 0 to 1.
        case share
    }

    /// Whether the link does what it promises.
    public enum Verdict: Sendable, Hashable {
        case passed
        case failed
        /// Nothing was promised, or it cannot be told.
        case notJudged
    }

    /// The way that was looked at.
    public var direction: Direction
    /// What was looked at.
    public var quantity: Quantity
    /// By what, where a quantity is measured in several ways, or why it was not judged.
    public var detail: String?
    /// What the profile promises; nil if nothing.
    public var expected: Double?
    /// What was measured; nil if nothing arrived.
    public var measured: Double?
    /// How far the two may be apart: what chance may do, and the error of the instrument.
    public var tolerance: Double?
    /// The judgement.
    public var verdict: Verdict

    /// Whether it passed, but would have with much else as well: chance, or the instrument, may be
    /// wrong by more than half of what is expected.
    public var isWeak: Bool {
        guard verdict == .passed, let expected, let tolerance, expected > 0 else { return false }
        return tolerance > expected / 2
    }

    /// Why nothing is judged where the machine is at fault.
    static let busyMachine = "this machine was too busy"

    /// Compares what was measured with what is expected.
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
        // The last bits of sums are not the link's fault.
        let slack = 1e-9 * max(1, abs(expected))
        verdict =
            measured.map { abs($0 - expected) <= tolerance + slack } ?? false ? .passed : .failed
    }

    /// Says what was measured without a judgement.
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

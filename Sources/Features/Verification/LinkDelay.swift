public import LinkModel
import LinkUnits

/// The actual delay in a direction whose jitter would make some delays negative.
///
/// No packet arrives before it was sent, so delays are longer on average, and less spread, than the
/// conditions say.
public struct LinkDelay: Sendable, Hashable {
    /// The mean, in milliseconds.
    public let mean: Double
    /// The standard deviation, in milliseconds.
    public let deviation: Double

    /// Smaller differences are not reported.
    private static let noticeable = 0.01

    /// The actual delay; nil if it is as the conditions say.
    public init?(cutIn conditions: DirectionConditions) {
        guard let jitter = conditions.jitter, conditions.loss.mean < .one else { return nil }
        let uncut = DelayExpectation(jitter, around: jitter.amount * 20)
        let cut = DelayExpectation(jitter, around: conditions.delay)
        let delay = conditions.delay.milliseconds
        guard
            cut.mean - delay > Self.noticeable * delay
                || uncut.deviation - cut.deviation > Self.noticeable * uncut.deviation
        else { return nil }
        (mean, deviation) = (cut.mean, cut.deviation)
    }
}

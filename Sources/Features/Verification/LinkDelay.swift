public import LinkModel
import LinkUnits

/// The delay that packets of a direction meet with where jitter would take some of it below zero.
///
/// No packet arrives before it was sent, and so the rest is later on average, and closer together,
/// than the conditions say.
public struct LinkDelay: Sendable, Hashable {
    /// The mean, in milliseconds.
    public let mean: Double
    /// The standard deviation, in milliseconds.
    public let deviation: Double

    /// How far off is worth a word.
    private static let noticeable = 0.01

    /// What becomes of the delay; nil if it is as the conditions say.
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

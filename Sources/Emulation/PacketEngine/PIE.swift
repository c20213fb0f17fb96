import LinkModel
import LinkUnits

/// Proportional integral controller, enhanced (RFC 8033): drops arriving packets with a probability
/// that follows the queueing delay.
///
/// The queueing delay is that of the last packet that left (allowed by section 5.2, and the same in
/// Linux). Unlike CoDel and FQ-CoDel, PIE decides when packets arrive, as in the RFC.
///
/// Derandomization (section 5.4, also on in Linux) limits drops to 46 % of the packets while the
/// probability is below 85 %: a flood that does not slow down and needs more makes the queue
/// oscillate.
struct PIE: Sendable {
    private static let target = 0.015
    private static let updateInterval = Duration.milliseconds(15)
    private static let longestBurst = Duration.milliseconds(150)
    /// Weights of the deviation from the target and of its change, per second.
    private static let alpha = 0.125
    private static let beta = 1.25

    private var probability = 0.0
    /// Section 5.4: the sum of probabilities since the last drop spaces drops apart.
    private var accumulated = 0.0
    /// The queueing delay in seconds, now and one update ago.
    private var wait = 0.0
    private var previousWait = 0.0
    private var burstAllowance = longestBurst
    private var nextUpdate: Duration?

    /// Whether to drop a packet that arrives at `queue`.
    mutating func dropsArrival(
        before queue: PacketQueue, at now: Duration, random: inout RandomStream
    ) -> Bool {
        update(to: now, isIdle: queue.isEmpty)
        if burstAllowance > .zero { return false }
        if previousWait < Self.target / 2, probability < 0.2 { return false }
        if queue.bytes <= 2 * 1500 { return false }
        accumulated = probability == 0 ? 0 : accumulated + probability
        if accumulated < 0.85 { return false }
        if accumulated < 8.5, random.unit() >= probability { return false }
        accumulated = 0
        return true
    }

    /// Whether a packet may be marked instead of dropped: at higher drop probabilities marks no
    /// longer help (section 5.1).
    var mayMark: Bool { probability <= 0.1 }

    /// Records how long a departing packet waited.
    mutating func packetLeaves(after time: Duration, at now: Duration, isLast: Bool) {
        update(to: now, isIdle: false)
        wait = isLast ? 0 : time / .seconds(1)
    }

    /// Updates the probability, one step for each interval that has passed.
    private mutating func update(to now: Duration, isIdle: Bool) {
        var next = nextUpdate ?? now + Self.updateInterval
        if isIdle { wait = 0 }
        // The steps of one minute bring any probability to its final value.
        next = max(next, now - .seconds(60))
        while now >= next {
            step()
            next += Self.updateInterval
        }
        nextUpdate = next
    }

    /// RFC 8033, section 4.2.
    private mutating func step() {
        var change = Self.alpha * (wait - Self.target) + Self.beta * (wait - previousWait)
        change *= Self.scale(at: probability)
        // Section 5.5: no large steps, except for very long delays (as in Linux).
        if probability >= 0.1 { change = min(change, 0.02) }
        if wait > 0.25 { change += 0.02 }
        probability += change
        if wait == 0, previousWait == 0 { probability *= 0.98 }
        probability = min(1, max(0, probability))
        if probability == 0, wait < Self.target / 2, previousWait < Self.target / 2 {
            burstAllowance = Self.longestBurst
        } else {
            burstAllowance = max(.zero, burstAllowance - Self.updateInterval)
        }
        previousWait = wait
    }

    /// Section 4.2: small probabilities change in small steps.
    private static func scale(at probability: Double) -> Double {
        switch probability {
        case ..<0.000_001: 1 / 2048
        case ..<0.000_01: 1 / 512
        case ..<0.000_1: 1 / 128
        case ..<0.001: 1 / 32
        case ..<0.01: 1 / 8
        case ..<0.1: 1 / 2
        default: 1
        }
    }
}

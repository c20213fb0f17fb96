/// How much time a verification may take, and so how much it can claim.
public enum Effort: String, Sendable, Hashable, CaseIterable, Codable {
    /// A few seconds for each profile.
    case quick
    /// Some ten seconds for each profile.
    case normal
    /// A minute or two for each profile.
    case thorough

    private func choose<Value>(_ quick: Value, _ normal: Value, _ thorough: Value) -> Value {
        switch self {
        case .quick: quick
        case .normal: normal
        case .thorough: thorough
        }
    }

    // MARK: How much is sent

    /// Probes of the delay, where nothing varies it.
    var delayProbes: Int { choose(20, 50, 300) }
    /// Probes of the delay, where it varies and the variation is to be known.
    var jitterProbes: Int { choose(100, 300, 3000) }
    /// How long those may take.
    var delayTime: Duration { choose(.seconds(4), .seconds(10), .seconds(90)) }
    /// Probes of the loss, where none is expected.
    var lossProbes: Int { choose(300, 1000, 5000) }
    /// How many losses, duplicates and so on should be seen, where some are expected.
    var rareEvents: Double { choose(20, 60, 400) }
    /// How long probes of the loss may take.
    var lossTime: Duration { choose(.seconds(3), .seconds(8), .seconds(60)) }
    /// How long the link is overloaded behind the filling of its queue.
    var overload: Duration { choose(.seconds(1), .milliseconds(2500), .seconds(10)) }
    /// A queue that takes longer to empty is not filled.
    var longestQueue: Duration { choose(.seconds(6), .seconds(12), .seconds(60)) }
    /// A TCP transfer that would take longer is left out.
    var longestTransfer: Duration { choose(.zero, .seconds(12), .seconds(60)) }

    /// TCP connections to port 53, where DNS is delayed, and as many to another port. One late
    /// packet must not decide.
    var connects: Int { choose(3, 3, 5) }

    // MARK: What the instrument itself may be wrong by

    /// By the waking of processes on a machine that has other things to do.
    var delayError: Duration {
        choose(.milliseconds(1), .microseconds(700), .microseconds(400))
    }
    /// As a share of what is expected.
    var relativeDelayError: Double { choose(0.005, 0.003, 0.001) }
    /// As a share of the bandwidth.
    var bandwidthError: Double { choose(0.02, 0.01, 0.005) }
    /// As a share of what TCP may get: slow start and its recovery leave gaps.
    var goodputError: Double { choose(0.06, 0.05, 0.03) }
    /// As a share of the queue.
    var queueError: Double { choose(0.05, 0.04, 0.03) }
    /// As a share of the jitter: order is kept, and so a late packet holds the next.
    var relativeJitterError: Double { choose(0.08, 0.05, 0.03) }
}

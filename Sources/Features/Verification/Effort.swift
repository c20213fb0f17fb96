/// How much time a verification may take, which limits how precise it can be.
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

    // MARK: Amount of traffic

    /// Delay probes without jitter.
    var delayProbes: Int { choose(20, 50, 300) }
    /// Delay probes with jitter, enough to measure it.
    var jitterProbes: Int { choose(100, 300, 3000) }
    /// How long the delay probes may take.
    var delayTime: Duration { choose(.seconds(4), .seconds(10), .seconds(90)) }
    /// Loss probes if no loss is expected.
    var lossProbes: Int { choose(300, 1000, 5000) }
    /// How many losses, duplicates and other rare events to observe, if any are expected.
    var rareEvents: Double { choose(20, 60, 400) }
    /// How long the loss probes may take.
    var lossTime: Duration { choose(.seconds(3), .seconds(8), .seconds(60)) }
    /// How long the link is overloaded after its queue is full.
    var overload: Duration { choose(.seconds(1), .milliseconds(2500), .seconds(10)) }
    /// A queue that takes longer to drain is not filled.
    var longestQueue: Duration { choose(.seconds(6), .seconds(12), .seconds(60)) }
    /// A TCP transfer that would take longer is skipped.
    var longestTransfer: Duration { choose(.zero, .seconds(12), .seconds(60)) }

    /// TCP connections to port 53 if DNS is delayed, and as many to another port. A single late
    /// packet must not decide.
    var connects: Int { choose(3, 3, 5) }

    // MARK: Errors of the instrument

    /// From the wake-up latency of processes on a busy machine.
    var delayError: Duration {
        choose(.milliseconds(1), .microseconds(700), .microseconds(400))
    }
    /// As a share of the expected value.
    var relativeDelayError: Double { choose(0.005, 0.003, 0.001) }
    /// As a share of the bandwidth.
    var bandwidthError: Double { choose(0.02, 0.01, 0.005) }
    /// As a share of TCP's expected goodput: slow start and recovery leave gaps.
    var goodputError: Double { choose(0.06, 0.05, 0.03) }
    /// As a share of the queue length.
    var queueError: Double { choose(0.05, 0.04, 0.03) }
    /// As a share of the jitter: packets stay in order, so a late packet holds up the next.
    var relativeJitterError: Double { choose(0.08, 0.05, 0.03) }
}

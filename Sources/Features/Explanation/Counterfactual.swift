public import LinuxKernel

/// The run without a component of the network: as predicted from its packets, and as measured by
/// running its command again.
public struct Counterfactual: Sendable, Hashable {
    /// What was taken away; nil: nothing, to show how much runs differ anyway.
    public let removal: Removal?
    /// How long it would take.
    public let predicted: Duration
    /// How long it took; nil if that says nothing, or if the machine was too busy for it.
    public let measured: Duration?
    /// Why it says nothing.
    public let problem: String?

    /// Describes one.
    public init(
        removal: Removal?, predicted: Duration, measured: Duration?, problem: String? = nil
    ) {
        self.removal = removal
        self.predicted = predicted
        self.measured = measured
        self.problem = problem
    }

    /// How far the prediction is off, as a part of the measured time.
    var error: Double? { measured.map { (predicted - $0) / $0 } }
}

extension Explanation {
    /// The components without which the run would have been shorter.
    public var removals: [Removal] {
        Removal.allCases.filter { prediction(without: $0) < duration }
    }

    /// How much two runs of the command without a change differ; nil if it was not run again.
    var noise: Duration? {
        guard let again = counterfactuals.first(where: { $0.removal == nil })?.measured else {
            return nil
        }
        return max(duration, again) - min(duration, again)
    }

    /// Of two runs of the same, the one to predict from. A machine with other work makes the waits of
    /// the app and of the servers longer, and those stay in every prediction.
    public static func lessDisturbed(_ one: Explanation, _ other: Explanation) -> Explanation {
        func disturbance(_ run: Explanation) -> (Int, Duration) {
            let shares = run.shares
            let own = [Cause.app, .server, .lateness].reduce(Duration.zero) {
                $0 + (shares[$1] ?? .zero)
            }
            return (run.isFaithful == false ? 1 : 0, own)
        }
        return disturbance(other) < disturbance(one) ? other : one
    }

    /// The addresses of names that the run asked for, with each name's in the order of the answers.
    public var addresses: [(name: String, addresses: [IPAddress])] {
        names.filter { !$0.addresses.isEmpty }.map { ($0.name, $0.addresses) }
    }
}

public import LinuxKernel

/// The run without a component of the network: as predicted from its packets, and as measured by
/// running its command again.
public struct Counterfactual: Sendable, Hashable {
    /// What was taken away; nil: nothing, to show how much runs differ anyway.
    public let removal: Removal?
    /// How long it would take.
    public let predicted: Duration
    /// How long it took; nil if that says nothing.
    public let measured: Duration?
    /// Why it says nothing, or what was strange about it.
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

    /// The addresses of names that the run asked for, with each name's in the order of the answers.
    public var addresses: [(name: String, addresses: [IPAddress])] {
        names.filter { !$0.addresses.isEmpty }.map { ($0.name, $0.addresses) }
    }
}

public import LinkModel

/// The events of a scenario and their times, in order; endless if the scenario is.
///
/// The same seed gives the same times.
public struct Timeline: Sendable, Sequence, IteratorProtocol {
    /// What must be so when the command has ended.
    public let endExpectations: [EndExpectation]

    /// What must be so when the command has ended.
    public struct EndExpectation: Sendable, Hashable {
        /// What must be so.
        public var expectation: Expectation
        /// The line of the scenario file that says so.
        public var line: Int?
    }

    /// The timeline of `scenario`; `seed` decides the times that the scenario leaves open.
    public init(_ scenario: Scenario, seed: UInt64) {
        endExpectations = []
    }

    /// The next event; nil when there is none.
    public mutating func next() -> TimelineEvent? { nil }
}

extension LinkConditions {
    /// The conditions between these and `target`: `fraction` 0 gives these, 1 the target.
    public func interpolated(to target: LinkConditions, fraction: Double) -> LinkConditions {
        fraction < 1 ? self : target
    }
}

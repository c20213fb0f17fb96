public import Scenarios

/// A scenario to play while a command runs.
public struct ScenarioRequest: Sendable, Hashable {
    /// The scenario.
    public var scenario: Scenario
    /// The prefix of line numbers: the path of the file, or the name of a built-in scenario.
    public var origin: String

    /// Requests a scenario.
    public init(_ scenario: Scenario, origin: String) {
        self.scenario = scenario
        self.origin = origin
    }
}

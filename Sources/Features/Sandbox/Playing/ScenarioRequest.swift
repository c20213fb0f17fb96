public import Scenarios

/// A scenario to be played while a command runs.
public struct ScenarioRequest: Sendable, Hashable {
    /// The scenario.
    public var scenario: Scenario
    /// What stands before the number of a line: the path of the file, or the name of a built-in
    /// scenario.
    public var origin: String

    /// Asks for a scenario.
    public init(_ scenario: Scenario, origin: String) {
        self.scenario = scenario
        self.origin = origin
    }
}

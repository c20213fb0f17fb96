public import LinkModel

/// One interface of a scenario.
public struct ScenarioInterface: Sendable, Hashable {
    /// Its name, such as `wifi0`.
    public var name: String
    /// The profile that it has at first, with what the file changes of its conditions.
    public var profile: Profile
    /// What the file changes of the profile's conditions.
    public var settings: [ConditionSetting]
    /// What the file says of how apps see it, beside what the profile says.
    public var override: InterfaceOverride
    /// Whether it is there from the start; else it appears by an event.
    public var isPresent: Bool
    /// What becomes of connections when it goes.
    public var connections: Connections
    /// The line of the file.
    public var line: Int?

    /// Makes an interface.
    public init(
        name: String, profile: Profile, settings: [ConditionSetting] = [],
        override: InterfaceOverride = .init(), isPresent: Bool = true,
        connections: Connections = .end, line: Int? = nil
    ) {
        self.name = name
        self.profile = profile
        self.settings = settings
        self.override = override
        self.isPresent = isPresent
        self.connections = connections
        self.line = line
    }

    /// What becomes of the TCP connections of an interface that goes down or vanishes.
    public enum Connections: String, CaseIterable, Sendable, Hashable {
        /// They end with an error at once, as on phones.
        case end
        /// They wait until it is back, as on Linux, or until a limit of their own has passed.
        case keep
    }

    /// What people call its conditions at first: `apple/LTE, down.loss=1%`.
    public var conditionsName: String { NamedConditions(self).name }

    /// What apps see of it at first: the override, else what the name tells of the kind, else what
    /// the profile says.
    ///
    /// Nil for what neither says: then it costs what its kind costs.
    public var initialOverride: InterfaceOverride {
        InterfaceOverride(profile, named: name).overridden(by: override)
    }
}

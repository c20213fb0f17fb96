public import LinkModel

/// One interface of a scenario.
public struct ScenarioInterface: Sendable, Hashable {
    /// Its name, such as `wifi0`.
    public var name: String
    /// The initial profile, including the file's changes to its conditions.
    public var profile: Profile
    /// The file's changes to the profile's conditions.
    public var settings: [ConditionSetting]
    /// What apps see of the interface according to the file, in addition to the profile.
    public var override: InterfaceOverride
    /// Whether it exists from the start; otherwise an event makes it appear.
    public var isPresent: Bool
    /// What happens to connections when it goes down.
    public var connections: Connections
    /// The line in the file.
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

    /// What happens to the TCP connections of an interface that goes down or vanishes.
    public enum Connections: String, CaseIterable, Sendable, Hashable {
        /// They fail at once, as on phones.
        case end
        /// They wait until the interface returns, as on Linux, or until their own timeout.
        case keep
    }

    /// The name of its initial conditions: `apple/LTE, down.loss=1%`.
    public var conditionsName: String { NamedConditions(self).name }

    /// What apps see of it initially: the override, else the kind that the name suggests, else the
    /// profile.
    ///
    /// Nil properties are unspecified by both; cost then follows from the kind.
    public var initialOverride: InterfaceOverride {
        InterfaceOverride(profile, named: name).overridden(by: override)
    }
}

public import LinkModel

/// A change of conditions: another profile, single fields, or both.
public struct ConditionsChange: Sendable, Hashable {
    /// The profile that replaces all conditions; nil: none.
    public var profile: Profile?
    /// The fields changed after that.
    public var settings: [ConditionSetting]
    /// Conditions that hold the values of the fields.
    public var values: LinkConditions

    /// Makes a change.
    public init(
        profile: Profile? = nil, settings: [ConditionSetting] = [], values: LinkConditions = .init()
    ) {
        self.profile = profile
        self.settings = settings
        self.values = values
    }

    /// The result of applying the change to `conditions`.
    public func applied(to conditions: LinkConditions) -> LinkConditions {
        var changed = profile?.conditions ?? conditions
        changed.copy(settings, from: values)
        return changed
    }
}

/// Conditions with their display name: a profile and the settings changed in it.
struct NamedConditions: Sendable, Hashable {
    private(set) var conditions: LinkConditions
    private var profile: String
    private var settings: [ConditionSetting]

    init(_ profile: Profile) {
        conditions = profile.conditions
        self.profile = profile.id
        settings = []
    }

    init(_ interface: ScenarioInterface) {
        self.init(interface.profile)
        settings = interface.settings
    }

    /// `apple/LTE, down.delay=180 ms`.
    var name: String { ([profile] + settings.map(\.text)).joined(separator: ", ") }

    /// These conditions after `change`.
    func changed(by change: ConditionsChange) -> NamedConditions {
        var changed = change.profile.map { NamedConditions($0) } ?? self
        changed.conditions = change.applied(to: conditions)
        for setting in change.settings {
            if let index = changed.settings.firstIndex(where: { $0.path == setting.path }) {
                changed.settings[index] = setting
            } else {
                changed.settings.append(setting)
            }
        }
        return changed
    }
}

public import LinkModel

/// A change of conditions: another profile, single fields, or a profile with single fields changed.
public struct ConditionsChange: Sendable, Hashable {
    /// What replaces all conditions, if anything does.
    public var profile: Profile?
    /// The fields that are changed after that.
    public var settings: [ConditionSetting]
    /// Where the values of the fields stand.
    public var values: LinkConditions

    /// Makes a change.
    public init(
        profile: Profile? = nil, settings: [ConditionSetting] = [], values: LinkConditions = .init()
    ) {
        self.profile = profile
        self.settings = settings
        self.values = values
    }

    /// What the change makes of `conditions`.
    public func applied(to conditions: LinkConditions) -> LinkConditions {
        var changed = profile?.conditions ?? conditions
        changed.copy(settings, from: values)
        return changed
    }
}

/// Conditions and what people call them: a profile, and what was changed of it.
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

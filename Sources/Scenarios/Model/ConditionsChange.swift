public import LinkModel

/// A change of conditions: another profile, single fields, or a profile with single fields changed.
public struct ConditionsChange: Sendable, Hashable {
    /// A field that can be changed by itself.
    public enum Field: Sendable, Hashable {
        case direction(Direction, DirectionField)
        case dnsDelay
        case blackhole

        fileprivate var isDistribution: Bool {
            if case .direction(_, .distribution) = self { true } else { false }
        }

        /// The field at a path as `--set` has it, such as `down.delay`; nil if there is none.
        public init?(path: String) {
            switch path {
            case "dns.delay": self = .dnsDelay
            case "blackhole": self = .blackhole
            default:
                let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
                guard parts.count == 2, let direction = Direction(rawValue: parts[0]),
                    let field = DirectionField(rawValue: parts[1])
                else { return nil }
                self = .direction(direction, field)
            }
        }
    }

    /// A field of a direction, by its name in profiles.
    public enum DirectionField: String, Sendable, Hashable, CaseIterable {
        case bandwidth, delay, jitter, distribution, loss, duplicate, corrupt, reorder, queue, aqm
        case ecn, trace
    }

    /// One changed field.
    public struct Setting: Sendable, Hashable {
        /// The field; its value stands in `values`.
        public var field: Field
        /// Field and value for people: `down.delay=180 ms`.
        public var text: String

        /// Makes a setting.
        public init(field: Field, text: String) {
            self.field = field
            self.text = text
        }
    }

    /// What replaces all conditions, if anything does.
    public var profile: Profile?
    /// The fields that are changed after that.
    public var settings: [Setting]
    /// Where the values of the fields stand.
    public var values: LinkConditions

    /// Makes a change.
    public init(
        profile: Profile? = nil, settings: [Setting] = [], values: LinkConditions = .init()
    ) {
        self.profile = profile
        self.settings = settings
        self.values = values
    }

    /// What the change makes of `conditions`.
    public func applied(to conditions: LinkConditions) -> LinkConditions {
        var changed = profile?.conditions ?? conditions
        // A distribution is one of the jitter, which has to be there before.
        for isDistribution in [false, true] {
            for setting in settings where setting.field.isDistribution == isDistribution {
                changed.copy(setting.field, from: values)
            }
        }
        return changed
    }
}

/// Conditions and what people call them: a profile, and what was changed of it.
struct NamedConditions: Sendable, Hashable {
    private(set) var conditions: LinkConditions
    private var profile: String
    private var settings: [ConditionsChange.Setting]

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
            if let index = changed.settings.firstIndex(where: { $0.field == setting.field }) {
                changed.settings[index] = setting
            } else {
                changed.settings.append(setting)
            }
        }
        return changed
    }
}

extension LinkConditions {
    fileprivate mutating func copy(_ field: ConditionsChange.Field, from values: LinkConditions) {
        switch field {
        case .direction(.down, let field): down.copy(field, from: values.down)
        case .direction(.up, let field): up.copy(field, from: values.up)
        case .dnsDelay: dnsDelay = values.dnsDelay
        case .blackhole: isBlackhole = values.isBlackhole
        }
    }
}

extension DirectionConditions {
    fileprivate mutating func copy(
        _ field: ConditionsChange.DirectionField, from values: DirectionConditions
    ) {
        switch field {
        case .bandwidth: bandwidth = values.bandwidth
        case .delay: delay = values.delay
        case .jitter:
            // Its distribution is a field of its own.
            let distribution = jitter?.distribution ?? .normal
            jitter = values.jitter.map { Jitter(amount: $0.amount, distribution: distribution) }
        case .distribution:
            if let distribution = values.jitter?.distribution {
                jitter?.distribution = distribution
            }
        case .loss: loss = values.loss
        case .duplicate: duplicate = values.duplicate
        case .corrupt: corrupt = values.corrupt
        case .reorder: reorder = values.reorder
        case .queue: queue = values.queue
        case .aqm: aqm = values.aqm
        case .ecn: ecn = values.ecn
        case .trace: trace = values.trace
        }
    }
}

public import LinkModel

/// A change of conditions: another profile, single fields, or a profile with single fields changed.
public struct ConditionsChange: Sendable, Hashable {
    /// A field that can be changed by itself.
    public enum Field: Sendable, Hashable {
        case bandwidth(Direction)
        case delay(Direction)
        case jitter(Direction)
        case distribution(Direction)
        case loss(Direction)
        case duplicate(Direction)
        case corrupt(Direction)
        case reorder(Direction)
        case queue(Direction)
        case aqm(Direction)
        case trace(Direction)
        case dnsDelay
        case blackhole
    }

    /// What replaces all conditions, if anything does.
    public var profile: Profile?
    /// The fields that are changed after that.
    public var fields: [Field]
    /// Where the values of the fields stand.
    public var values: LinkConditions
    /// The fields as people read them: `down.delay=180 ms`.
    public var text: String

    /// Makes a change.
    public init(
        profile: Profile? = nil, fields: [Field] = [], values: LinkConditions = .init(),
        text: String = ""
    ) {
        self.profile = profile
        self.fields = fields
        self.values = values
        self.text = text
    }
}

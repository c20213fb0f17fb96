import LinkUnits

/// A profile as `list --json` and `show --json` print it. The keys are a stable interface: see
/// `Profiles/schema/show.schema.json`.
public struct ProfileJSON: Encodable {
    /// The extra delay of outgoing DNS.
    public struct DNS: Encodable {
        let delayMilliseconds: Double

        /// Makes the object for a delay.
        public init(_ delay: Duration) { delayMilliseconds = delay.milliseconds }
    }

    let name: String
    let family: String
    let id: String
    let aliases: [String]
    let summary: String
    let source: String
    let interface: String
    let down: DirectionJSON
    let up: DirectionJSON
    @OrNull var dns: DNS?
    let expensive: Bool
    let constrained: Bool
    let blackhole: Bool
    @OrNull var middle: MiddleboxJSON?

    /// Makes the object for a profile.
    public init(_ profile: Profile) {
        name = profile.name
        family = profile.family
        id = profile.id
        aliases = profile.aliases
        summary = profile.summary
        source = profile.source
        interface = profile.interface.rawValue
        // A reader who does not know `blackhole` still sees that everything is lost.
        let conditions = profile.conditions.withExplicitLoss
        down = DirectionJSON(conditions.down)
        up = DirectionJSON(conditions.up)
        dns = conditions.dnsDelay.map(DNS.init)
        expensive = profile.isExpensive
        constrained = profile.isConstrained
        blackhole = profile.conditions.isBlackhole
        middle = conditions.middle.map(MiddleboxJSON.init)
    }
}

/// The conditions of one direction, wherever linkcond prints them as JSON.
public struct DirectionJSON: Encodable {
    let conditions: DirectionConditions

    /// Makes the object for the conditions.
    public init(_ conditions: DirectionConditions) { self.conditions = conditions }

    /// Encodes an object with a key for each field.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for field in ConditionField.all {
            for (key, value) in field.json(conditions) {
                let key = Key(stringValue: key)
                if let value {
                    try container.encode(value, forKey: key)
                } else {
                    try container.encodeNil(forKey: key)
                }
            }
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

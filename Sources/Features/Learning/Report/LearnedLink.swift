public import LinkModel

/// A number that was learned, or why it could not be.
public struct LearnedValue: Sendable, Hashable {
    /// How sure it is.
    public enum Sureness: String, Sendable, Hashable {
        /// Measured; the interval has the truth with 95 %.
        case measured
        /// The truth is on one side of it, or it is a guess within bounds.
        case bound
        /// It cannot be seen this way.
        case notVisible
    }

    /// The field of a profile.
    public var field: String
    /// How sure it is.
    public var sureness: Sureness
    /// As the profile has it; nil if it leaves it out.
    public var text: String?
    /// In the unit of the field: bits per second, milliseconds, shares, packets.
    public var value: Double?
    /// The truth is above that; nil: not known.
    public var low: Double?
    /// The truth is below that; nil: not known.
    public var high: Double?
    /// One sentence: how it was measured and how sure it is, or why it was not.
    public var how: String

    init(
        _ field: String, _ sureness: Sureness, text: String? = nil, value: Double? = nil,
        low: Double? = nil, high: Double? = nil, how: String
    ) {
        (self.field, self.sureness, self.text) = (field, sureness, text)
        (self.value, self.low, self.high, self.how) = (value, low, high, how)
    }

    static func hidden(_ field: String, _ why: String) -> LearnedValue {
        LearnedValue(field, .notVisible, how: why)
    }
}

/// What was learned of a direction.
public struct LearnedDirection: Sendable, Hashable {
    /// The conditions; without the file of the trace.
    public var conditions = DirectionConditions()
    /// Each field that was looked for.
    public var values: [LearnedValue] = []
    /// When 1,500 bytes could pass, if the bandwidth varies.
    public var trace: DeliveryTrace?

    /// Nothing was learned.
    public init() {}
}

/// What was learned of a link.
public struct LearnedLink: Sendable, Hashable {
    /// How it was learned.
    public enum Method: String, Sendable, Hashable {
        /// By probes between two ends.
        case active
        /// From packets of others.
        case passive
    }

    /// From the app to the network.
    public var up: LearnedDirection
    /// From the network to the app.
    public var down: LearnedDirection
    /// What it was learned from.
    public var source: String
    /// How it was learned.
    public var method: Method
    /// What a reader of the profile should know, one sentence each.
    public var notes: [String]

    /// A direction.
    public subscript(_ direction: Direction) -> LearnedDirection {
        direction == .up ? up : down
    }
}

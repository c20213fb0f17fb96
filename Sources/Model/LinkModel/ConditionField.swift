/// A field of a direction: all that reading, writing, changing and showing it needs.
///
/// `all` is the one list of them. Profiles, `--set`, scenarios, ramps, JSON and tables go through
/// it, so that a new field is a stored property of `DirectionConditions` and a row in
/// `ConditionField+Rows.swift`. Which values no link can have is not part of a row, since most of
/// that concerns two fields: see `DirectionConditions.problem`.
public struct ConditionField: Sendable {
    /// Members of a JSON object; nil is null.
    public typealias JSON = [String: (any Encodable & Sendable)?]

    /// What packets meet on their way, in this order.
    public enum Stage: Sendable, CaseIterable {
        case rate, queue, loss, delay, copies
    }

    /// The key in profiles, and the label in tables.
    public let key: String
    /// The keys of a value in braces; none if it is always a single one.
    public let members: [String]
    /// Whether the text is free, so that a format has to quote what it would misread.
    public let isFreeText: Bool
    /// Where it acts.
    public let stage: Stage
    /// Whether tables have it even where it does nothing.
    public let isAlwaysShown: Bool

    /// The value as a profile writes it; nil where it is that of a perfect link.
    public let value: @Sendable (DirectionConditions) -> FieldValue?
    /// Reads a value, after all the fields that stand before this one in `all`.
    public let read: @Sendable (FieldValue, inout DirectionConditions) throws(FieldError) -> Void
    /// Takes the value over from other conditions, the first.
    public let copy: @Sendable (DirectionConditions, inout DirectionConditions) -> Void
    /// The members of the JSON object, each with its unit in the key.
    public let json: @Sendable (DirectionConditions) -> JSON
    /// The value for people; nil where it does nothing.
    public let text: @Sendable (DirectionConditions) -> String?
    /// Puts the value that is due on a ramp into the conditions.
    let ramp: @Sendable (RampStep, inout DirectionConditions) -> Void

    /// Makes the row of the field that is `property`.
    ///
    /// - Parameters:
    ///   - needs: Why conditions cannot have the field; nil if they can.
    ///   - text: Nil where people read what a profile writes.
    ///   - ramp: Nil where there is no middle: the value changes at the start of a ramp.
    init<Value>(
        _ key: String, _ property: any WritableKeyPath<DirectionConditions, Value> & Sendable,
        _ format: FieldFormat<Value>, _ stage: Stage, isAlwaysShown: Bool = false,
        needs: (@Sendable (DirectionConditions) -> String?)? = nil,
        json: @escaping @Sendable (DirectionConditions) -> JSON,
        text: (@Sendable (DirectionConditions) -> String?)? = nil,
        ramp: (@Sendable (RampStep) -> Value)? = nil
    ) {
        let perfect = DirectionConditions()[keyPath: property]
        let value: @Sendable (DirectionConditions) -> FieldValue? = { conditions in
            let value = conditions[keyPath: property]
            return value == perfect ? nil : format.write(value)
        }
        self.key = key
        members = format.members
        isFreeText = format.isFreeText
        self.stage = stage
        self.isAlwaysShown = isAlwaysShown
        self.value = value
        read = { (value, conditions) throws(FieldError) in
            let read = try format.read(value)
            if let explanation = needs?(conditions) { throw FieldError(explanation) }
            conditions[keyPath: property] = read
        }
        copy = { $1[keyPath: property] = $0[keyPath: property] }
        self.json = json
        self.text = text ?? { value($0)?.description }
        self.ramp = { $1[keyPath: property] = ramp?($0) ?? $0.target[keyPath: property] }
    }

    /// All fields, in the order in which people read them.
    public static let asPacketsMeetThem = Stage.allCases.flatMap { stage in
        all.filter { $0.stage == stage }
    }

    /// The keys of all fields.
    public static let keys = all.map(\.key)
}

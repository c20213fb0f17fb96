/// A field of a direction: how to read, write, change and show it.
///
/// `all` is the single list of fields. Profiles, `--set`, scenarios, ramps, JSON and tables all use
/// it, so a new field needs only a stored property of `DirectionConditions` and a row in
/// `ConditionField+Rows.swift`. Rows do not check which values are possible, because most of those
/// checks involve two fields: see `DirectionConditions.problem`.
public struct ConditionField: Sendable {
    /// Members of a JSON object; nil is null.
    public typealias JSON = [String: (any Encodable & Sendable)?]

    /// The stages that packets pass, in this order.
    public enum Stage: Sendable, CaseIterable {
        case rate, queue, loss, delay, copies
    }

    /// The key in profiles, and the label in tables.
    public let key: String
    /// The keys of a value in braces; empty if it is always a single value.
    public let members: [String]
    /// Whether the text is free-form, so that a format must quote what it would misread.
    public let isFreeText: Bool
    /// The stage at which the field acts.
    public let stage: Stage
    /// Whether tables show the field even when it has no effect.
    public let isAlwaysShown: Bool

    /// How the values are ordered; nil if they are not, as those of choices.
    public let scale: FieldScale?

    /// The value as a profile writes it; nil if it is that of a perfect link.
    public let value: @Sendable (DirectionConditions) -> FieldValue?
    /// Reads a value. All fields before this one in `all` must have been read.
    public let read: @Sendable (FieldValue, inout DirectionConditions) throws(FieldError) -> Void
    /// Copies the value from the first conditions to the second.
    public let copy: @Sendable (DirectionConditions, inout DirectionConditions) -> Void
    /// The members of the JSON object; each key contains the unit.
    public let json: @Sendable (DirectionConditions) -> JSON
    /// The value for people; nil if it has no effect.
    public let text: @Sendable (DirectionConditions) -> String?
    /// Sets the conditions' value for a moment of a ramp.
    let ramp: @Sendable (RampStep, inout DirectionConditions) -> Void

    /// Makes the row of the field stored in `property`.
    ///
    /// - Parameters:
    ///   - scale: Nil if the values are not ordered.
    ///   - needs: Why conditions cannot have the field; nil if they can.
    ///   - text: Nil if people read what a profile writes.
    ///   - ramp: Nil if there are no values in between: the value changes at the start of a ramp.
    init<Value>(
        _ key: String, _ property: any WritableKeyPath<DirectionConditions, Value> & Sendable,
        _ format: FieldFormat<Value>, _ stage: Stage, isAlwaysShown: Bool = false,
        scale: FieldScale? = nil,
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
        self.scale = scale
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

    /// All fields, in the order in which tables show them.
    public static let asPacketsMeetThem = Stage.allCases.flatMap { stage in
        all.filter { $0.stage == stage }
    }

    /// The keys of all fields.
    public static let keys = all.map(\.key)
}

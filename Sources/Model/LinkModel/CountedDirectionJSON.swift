/// The conditions of a direction together with its counters.
public struct CountedDirectionJSON<Counters: Encodable>: Encodable {
    private let conditions: DirectionJSON
    private let counters: Counters

    /// Combines conditions and counters.
    public init(_ conditions: DirectionConditions, _ counters: Counters) {
        self.conditions = DirectionJSON(conditions)
        self.counters = counters
    }

    /// Writes the keys of the conditions and `counters` into one object.
    public func encode(to encoder: any Encoder) throws {
        try conditions.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(counters, forKey: .counters)
    }

    private enum CodingKeys: CodingKey { case counters }
}

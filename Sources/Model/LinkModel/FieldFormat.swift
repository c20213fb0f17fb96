import LinkUnits

/// How the values of a field are read and written.
struct FieldFormat<Value: Hashable & Sendable>: Sendable {
    /// The keys of a value in braces; empty if it is always a single value.
    var members: [String] = []
    /// Whether the text is free-form, so that a format must quote what it would misread.
    var isFreeText = false
    let read: @Sendable (FieldValue) throws(FieldError) -> Value
    /// Nil for a value that is written by omitting the field.
    let write: @Sendable (Value) -> FieldValue?

    /// A single value with a unit.
    static func quantity(
        _ parse: @escaping @Sendable (String) throws(QuantityError) -> Value,
        _ text: @escaping @Sendable (Value) -> String?
    ) -> Self {
        Self(
            read: { value throws(FieldError) in try value.quantity(parse) },
            write: { text($0).map { .scalar($0) } })
    }

    static func choice() -> Self
    where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
        Self(
            read: { value throws(FieldError) in try value.choice(Value.self) },
            write: { .scalar($0.rawValue) })
    }

    /// A share, in braces if it comes with a number of packets: `{ mean: 2%, burst: 8 }`.
    ///
    /// - Parameters:
    ///   - other: The key of the number.
    ///   - kind: What the number means, with an example.
    static func share<Number: LosslessStringConvertible & Sendable>(
        and other: String, _ kind: String,
        read: @escaping @Sendable (Ratio, Number?) -> Value,
        write: @escaping @Sendable (Value) -> (mean: Ratio, number: String?)?
    ) -> Self {
        Self(
            members: ["mean", other],
            read: { value throws(FieldError) in
                guard case .mapping(let members) = value else {
                    return read(try value.quantity(Ratio.init(parsing:)), nil)
                }
                let texts = Dictionary(members) { first, _ in first }
                guard let mean = texts["mean"] else {
                    throw FieldError("is missing; write { mean: 2%, ... }", member: "mean")
                }
                let ratio = try FieldValue.scalar(mean).quantity(Ratio.init(parsing:), "mean")
                guard let text = texts[other] else { return read(ratio, nil) }
                guard let number = Number(text.withoutPackets) else {
                    throw FieldError("\"\(text)\" is not \(kind)", member: other)
                }
                return read(ratio, number)
            },
            write: { value in
                write(value).map { mean, number in
                    guard let number else { return .scalar(mean.description) }
                    return .mapping([("mean", mean.description), (other, number)])
                }
            })
    }
}

extension FieldFormat where Value == Bool? {
    static var flag: Self {
        Self(
            read: { value throws(FieldError) in try value.flag() },
            write: { $0.map { .scalar("\($0)") } })
    }
}

extension FieldFormat where Value == String? {
    static var text: Self {
        Self(
            isFreeText: true, read: { value throws(FieldError) in try value.text() },
            write: { $0.map { .scalar($0) } })
    }
}

extension String {
    /// The `8` in `8` or `8 packets`: a count of packets needs no unit.
    fileprivate var withoutPackets: String {
        split(separator: " ").last == "packets" ? String(prefix { $0 != " " }) : self
    }
}

import LinkUnits

/// The value of a field as a profile writes it, independent of the file's format.
public enum FieldValue: Sendable, CustomStringConvertible {
    /// `50 ms`
    case scalar(String)
    /// `{ mean: 2%, burst: 8 }`
    case mapping([(key: String, text: String)])

    /// The value on one line.
    public var description: String {
        switch self {
        case .scalar(let text): return text
        case .mapping(let members):
            let texts = members.map { "\($0.key): \($0.text)" }
            return "{ \(texts.joined(separator: ", ")) }"
        }
    }

    /// The single value.
    func text() throws(FieldError) -> String {
        guard case .scalar(let text) = self else { throw FieldError("has to be a single value") }
        return text
    }

    /// The single value, read by `parse`; `member` is its key if it is in braces.
    func quantity<Value>(
        _ parse: (String) throws(QuantityError) -> Value, _ member: String? = nil
    ) throws(FieldError) -> Value {
        let text = try text()
        do { return try parse(text) } catch { throw FieldError(error.description, member: member) }
    }

    /// The single value as one of the cases of `Choice`.
    public func choice<Choice: RawRepresentable & CaseIterable>(
        _: Choice.Type
    ) throws(FieldError) -> Choice where Choice.RawValue == String {
        let text = try text()
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw FieldError("\"\(text)\" is not one of \(choices)")
        }
        return choice
    }

    /// The single value as `true` or `false`.
    public func flag() throws(FieldError) -> Bool {
        switch try text() {
        case "true": return true
        case "false": return false
        case let text: throw FieldError("\"\(text)\" is neither true nor false")
        }
    }
}

/// Why a value does not fit its field: what is wrong and what to write instead.
public struct FieldError: Error, Hashable, Sendable {
    /// The key inside the braces, if the problem is there.
    public let member: String?
    /// What is wrong with the value and what to do about it.
    public let explanation: String

    init(_ explanation: String, member: String? = nil) {
        self.member = member
        self.explanation = explanation
    }
}

/// Why a selection of traffic is invalid: one sentence with the value and what to do.
public struct SelectorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The option, such as `--to`.
    public let option: String
    /// Its value; nil where several options contradict each other.
    public let value: String?
    /// What is wrong, and what to write instead.
    public let reason: String

    init(_ option: String, _ value: String? = nil, _ reason: String) {
        self.option = option
        self.value = value
        self.reason = reason
    }

    /// One sentence.
    public var description: String {
        value.map { "\(option) \($0): \(reason)" } ?? "\(option): \(reason)"
    }
}

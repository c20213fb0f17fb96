/// Why the words that choose traffic make no sense: one sentence with the word and the way out.
public struct SelectorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The option, such as `--to`.
    public let option: String
    /// What was given; nil where several options contradict each other.
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

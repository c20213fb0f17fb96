/// A well-formed argument that refers to nothing.
public struct UsageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence with the remedy.
    public let description: String

    /// Makes an error.
    public init(description: String) { self.description = description }
}

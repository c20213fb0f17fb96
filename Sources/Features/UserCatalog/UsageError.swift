/// An argument that is well formed and yet names nothing.
public struct UsageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence with the way out.
    public let description: String

    /// Makes an error.
    public init(description: String) { self.description = description }
}

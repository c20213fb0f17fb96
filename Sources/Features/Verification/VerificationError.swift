/// Why a link could not be measured.
public struct VerificationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence with the remedy.
    public let description: String

    /// Makes an error.
    public init(_ description: String) {
        self.description = description
    }
}

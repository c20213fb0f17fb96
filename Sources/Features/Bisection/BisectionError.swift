public import LinkModel

/// Why a search cannot begin or go on.
public struct BisectionError: ErrorWithExitStatus, Sendable, Hashable, CustomStringConvertible {
    /// The exit code.
    public let status: ExitStatus
    /// One sentence with the remedy.
    public let description: String

    /// Makes an error.
    public init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }
}

public import LinkModel

/// Why a link could not be measured.
public struct VerificationError: ErrorWithExitStatus, Hashable, Sendable, CustomStringConvertible {
    /// The exit code.
    public let status: ExitStatus
    /// One sentence with the remedy.
    public let description: String

    /// Makes an error.
    public init(_ description: String, status: ExitStatus = .failed) {
        self.status = status
        self.description = description
    }
}

public import LinkModel

/// Why a link cannot be learned.
public struct LearningError: ErrorWithExitStatus, Sendable, Hashable, CustomStringConvertible {
    /// The exit code.
    public let status: ExitStatus
    /// One sentence with the remedy.
    public let description: String

    init(_ description: String, status: ExitStatus = .unavailable) {
        self.description = description
        self.status = status
    }
}

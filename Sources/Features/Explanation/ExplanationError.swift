public import LinkModel

/// Why a capture cannot be explained.
public struct ExplanationError: ErrorWithExitStatus, Sendable, Hashable, CustomStringConvertible {
    /// The exit code.
    public let status: ExitStatus
    /// One sentence with the file and the remedy.
    public let description: String

    init(_ description: String, status: ExitStatus = .badFile) {
        self.status = status
        self.description = description
    }
}

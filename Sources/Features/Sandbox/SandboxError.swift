public import LinkModel

/// Why a sandbox did not run its command.
public struct SandboxError: ErrorWithExitStatus, Hashable, Sendable, CustomStringConvertible {
    /// The exit code.
    public let status: ExitStatus
    /// One sentence with the remedy.
    public let description: String

    /// Makes an error.
    public init(_ description: String, status: ExitStatus = .sandbox) {
        self.status = status
        self.description = description
    }
}

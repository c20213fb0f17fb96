public import LinkModel

/// Why a matrix cannot run, or its report cannot be written or read.
public struct MatrixError: ErrorWithExitStatus, Sendable, Hashable, CustomStringConvertible {
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

public import LinkModel

/// Why a real link could not be recorded.
public struct RecordingError: ErrorWithExitStatus, Sendable, Hashable, CustomStringConvertible {
    /// The exit code.
    public let status: ExitStatus
    /// One sentence with the remedy.
    public let description: String

    init(_ description: String, status: ExitStatus) {
        self.status = status
        self.description = description
    }

    /// The interface received no traffic.
    public static let nothingPassed = RecordingError(
        "nothing came to the interface that would make a trace; keep the link busy with a download "
            + "while it is recorded", status: .failed)
}

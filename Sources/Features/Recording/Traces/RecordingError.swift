/// Why a real link could not be recorded.
public struct RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong.
    public enum Fault: Sendable, Hashable {
        /// There was no traffic from which to make a trace.
        case nothingPassed
        /// The command cannot be executed.
        case notExecutable
        /// The command does not exist.
        case notFound
    }

    /// What went wrong.
    public let fault: Fault
    /// One sentence with the remedy.
    public let description: String

    init(_ description: String, fault: Fault) {
        self.fault = fault
        self.description = description
    }

    /// The interface received no traffic.
    public static let nothingPassed = RecordingError(
        "nothing came to the interface that would make a trace; keep the link busy with a download "
            + "while it is recorded", fault: .nothingPassed)
}

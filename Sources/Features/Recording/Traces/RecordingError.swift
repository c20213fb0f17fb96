/// Why there is no trace of a real link.
public struct RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong.
    public enum Fault: Sendable, Hashable {
        /// There is nothing that could be a trace.
        case nothingPassed
        /// The command cannot be executed.
        case notExecutable
        /// There is no such command.
        case notFound
    }

    /// What went wrong.
    public let fault: Fault
    /// One sentence with the way out.
    public let description: String

    init(_ description: String, fault: Fault) {
        self.fault = fault
        self.description = description
    }

    /// Nothing came to the interface.
    public static let nothingPassed = RecordingError(
        "nothing came to the interface that would make a trace; keep the link busy with a download "
            + "while it is recorded", fault: .nothingPassed)
}

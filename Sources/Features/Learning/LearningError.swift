public import LinkModel

/// Why a link cannot be learned.
public struct LearningError: ErrorWithExitStatus, Sendable, Hashable, CustomStringConvertible {
    /// The exit code.
    public let status: ExitStatus
    /// One sentence with the remedy.
    public let description: String
    /// What may be otherwise at the next try; nil: nothing is known to be.
    let obstacle: Obstacle?

    enum Obstacle: Sendable {
        /// The connection broke, and nobody has closed it.
        case broken
        /// The responder serves somebody else.
        case busy
    }

    init(
        _ description: String, status: ExitStatus = .unavailable, obstacle: Obstacle? = nil
    ) {
        (self.description, self.status, self.obstacle) = (description, status, obstacle)
    }
}

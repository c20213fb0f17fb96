public import LinkModel

/// Why the gateway cannot start, go on, or do what it is asked for.
public struct GatewayError: ErrorWithExitStatus, Hashable, Sendable, CustomStringConvertible {
    /// The exit code.
    public let status: ExitStatus
    /// One sentence: what failed, why, and what to do.
    public let description: String

    init(_ description: String, status: ExitStatus = .unavailable) {
        self.status = status
        self.description = description
    }
}

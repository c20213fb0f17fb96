public import LinkModel

/// Why an operation on a host's interfaces failed.
public struct HostError: ErrorWithExitStatus, Hashable, Sendable, CustomStringConvertible {
    /// The exit code.
    public let status: ExitStatus
    /// One sentence with the remedy.
    public let description: String

    init(_ description: String, status: ExitStatus = .usage) {
        self.status = status
        self.description = description
    }

    /// Default routes use several interfaces, but one must be chosen.
    init(severalDefaultRoutes names: [String]) {
        self.init(
            "default routes lead over \(names.joined(separator: " and ")); name the one that is "
                + "meant, as in: -i \(names.first ?? "eth0")")
    }
}

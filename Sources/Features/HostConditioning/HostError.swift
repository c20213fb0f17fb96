/// Why something cannot be done to a host's interfaces.
public struct HostError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Whose fault it is.
    public enum Fault: Sendable, Hashable {
        /// What was asked for names nothing, or contradicts what is there.
        case usage
        /// The host cannot do it.
        case unavailable
    }

    /// Whose fault it is.
    public let fault: Fault
    /// One sentence with the way out.
    public let description: String

    init(_ description: String, fault: Fault = .usage) {
        self.fault = fault
        self.description = description
    }

    /// Default routes lead over several interfaces where only one can be meant.
    init(severalDefaultRoutes names: [String]) {
        self.init(
            "default routes lead over \(names.joined(separator: " and ")); name the one that is "
                + "meant, as in: -i \(names.first ?? "eth0")")
    }
}

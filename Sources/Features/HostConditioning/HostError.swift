/// Why an operation on a host's interfaces failed.
public struct HostError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    public enum Fault: Sendable, Hashable {
        /// The request names nothing, or conflicts with the present state.
        case usage
        /// The host cannot do it.
        case unavailable
    }

    /// The kind of fault.
    public let fault: Fault
    /// One sentence with the remedy.
    public let description: String

    init(_ description: String, fault: Fault = .usage) {
        self.fault = fault
        self.description = description
    }

    /// Default routes use several interfaces, but one must be chosen.
    init(severalDefaultRoutes names: [String]) {
        self.init(
            "default routes lead over \(names.joined(separator: " and ")); name the one that is "
                + "meant, as in: -i \(names.first ?? "eth0")")
    }
}

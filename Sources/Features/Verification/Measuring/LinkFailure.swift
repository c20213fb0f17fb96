import LinuxKernel

/// A link could not be set up or measured.
public struct LinkFailure: Error, Sendable, CustomStringConvertible {
    /// The kind of fault. The measuring process exits with its number.
    public enum Fault: Int32, Sendable {
        /// The measurement failed.
        case failed = 1
        /// The host cannot set up the link.
        case unavailable
        /// Files cannot be written.
        case cannotWrite
        /// A bug in linkcond.
        case ourOwn
    }

    /// The kind of fault.
    public let fault: Fault
    /// One sentence with the remedy.
    public let description: String

    init(_ description: String, fault: Fault) {
        self.fault = fault
        self.description = description
    }

    init(_ measurement: LinkMeasurement, because reason: String, end: ProcessEnd) {
        // A probe is linkcond as well and has the same prefix.
        let prefix = "linkcond: "
        let cause = reason.hasPrefix(prefix) ? String(reason.dropFirst(prefix.count)) : reason
        self.init(
            "cannot measure \(measurement.profile): \(cause)",
            fault: Fault(rawValue: end.shellCode) ?? .failed)
    }
}

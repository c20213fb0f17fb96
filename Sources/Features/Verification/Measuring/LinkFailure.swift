import LinuxKernel

/// A link could not be set up or measured.
public struct LinkFailure: Error, Sendable, CustomStringConvertible {
    /// Whose fault it is. The process that measures ends with its number.
    public enum Fault: Int32, Sendable {
        /// The measurement failed.
        case failed = 1
        /// The host cannot make the link.
        case unavailable
        /// There is no place for files.
        case cannotWrite
        /// A fault of linkcond's own.
        case ourOwn
    }

    /// Whose fault it is.
    public let fault: Fault
    /// One sentence with the way out.
    public let description: String

    init(_ description: String, fault: Fault) {
        self.fault = fault
        self.description = description
    }

    init(_ measurement: LinkMeasurement, because reason: String, end: ProcessEnd) {
        // A probe is linkcond as well, and says so.
        let prefix = "linkcond: "
        let cause = reason.hasPrefix(prefix) ? String(reason.dropFirst(prefix.count)) : reason
        self.init(
            "cannot measure \(measurement.profile): \(cause)",
            fault: Fault(rawValue: end.shellCode) ?? .failed)
    }
}

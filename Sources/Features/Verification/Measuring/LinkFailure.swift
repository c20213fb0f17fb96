public import LinkModel
import LinuxKernel

/// A link could not be set up or measured.
public struct LinkFailure: ErrorWithExitStatus, Sendable, CustomStringConvertible {
    /// The exit code, of the measuring process as well.
    public let status: ExitStatus
    /// One sentence with the remedy.
    public let description: String

    init(_ description: String, status: ExitStatus) {
        self.status = status
        self.description = description
    }

    init(_ measurement: LinkMeasurement, because reason: String, status: ExitStatus) {
        // A probe is linkcond as well and has the same prefix.
        let prefix = "linkcond: "
        let cause = reason.hasPrefix(prefix) ? String(reason.dropFirst(prefix.count)) : reason
        self.init("cannot measure \(measurement.profile): \(cause)", status: status)
    }
}

import LinuxKernel
public import SystemPackage

/// An error from the kernel, with the kernel's own explanation where it gave one.
public struct NetlinkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was attempted, as a phrase: `add the qdisc netem`.
    public let attempt: String
    /// The kernel's reason.
    public let errno: Errno
    /// The kernel's explanation (extended ack), such as "Specified qdisc kind is unknown".
    public let kernelText: String?

    /// Makes an error.
    public init(attempt: String, errno: Errno, kernelText: String? = nil) {
        self.attempt = attempt
        self.errno = errno
        self.kernelText = kernelText
    }

    /// One sentence with the kernel's own explanation.
    public var description: String {
        "cannot \(attempt): \(kernelText.map { "\($0) (\(errno))" } ?? "\(errno)")"
            + DescriptorLimit.hint(errno)
    }
}

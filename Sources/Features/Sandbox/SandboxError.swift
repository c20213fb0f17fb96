/// Why a sandbox did not run its command.
public struct SandboxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was at fault, as far as the exit code tells.
    public enum Fault: Int32, Sendable {
        /// The kernel lacks what is asked for.
        case unavailable = 69
        /// A file that cannot be read.
        case unreadableFile = 74
        /// A file with something wrong in it.
        case badFile = 78
        /// linkcond or the host.
        case sandbox = 125
        /// The command cannot be executed.
        case notExecutable = 126
        /// There is no such command.
        case notFound = 127
    }

    /// What was at fault.
    public let fault: Fault
    /// One sentence with the way out.
    public let description: String

    /// Makes an error.
    public init(_ description: String, fault: Fault = .sandbox) {
        self.fault = fault
        self.description = description
    }
}

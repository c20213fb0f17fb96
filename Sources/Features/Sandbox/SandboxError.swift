/// Why a sandbox did not run its command.
public struct SandboxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault, which determines the exit code.
    public enum Fault: Int32, Sendable {
        /// The kernel lacks a required feature.
        case unavailable = 69
        /// A file that cannot be read.
        case unreadableFile = 74
        /// A file with invalid contents.
        case badFile = 78
        /// linkcond or the host.
        case sandbox = 125
        /// The command cannot be executed.
        case notExecutable = 126
        /// The command does not exist.
        case notFound = 127
    }

    /// The kind of fault.
    public let fault: Fault
    /// One sentence with the remedy.
    public let description: String

    /// Makes an error.
    public init(_ description: String, fault: Fault = .sandbox) {
        self.fault = fault
        self.description = description
    }
}

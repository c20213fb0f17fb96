/// Why a matrix cannot run, or its report cannot be written or read.
public struct MatrixError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault, which determines the exit code.
    public enum Fault: Sendable, Hashable {
        /// The request is invalid.
        case usage
        /// A file that cannot be written.
        case cannotWrite
        /// A file that cannot be read.
        case cannotRead
        /// A report with invalid contents.
        case badFile
    }

    /// The kind of fault.
    public let fault: Fault
    /// One sentence with the remedy.
    public let description: String

    /// Makes an error.
    public init(_ fault: Fault, _ description: String) {
        self.fault = fault
        self.description = description
    }
}

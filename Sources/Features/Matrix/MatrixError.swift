/// Why a matrix cannot be run, or its report not be written or read.
public struct MatrixError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is at fault, as far as the exit code tells.
    public enum Fault: Sendable, Hashable {
        /// What was asked for makes no sense.
        case usage
        /// A file that cannot be written.
        case cannotWrite
        /// A file that cannot be read.
        case cannotRead
        /// A report with something wrong in it.
        case badFile
    }

    /// What is at fault.
    public let fault: Fault
    /// One sentence with the way out.
    public let description: String

    /// Makes an error.
    public init(_ fault: Fault, _ description: String) {
        self.fault = fault
        self.description = description
    }
}

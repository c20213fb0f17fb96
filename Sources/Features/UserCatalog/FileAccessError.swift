public import LinkModel
import LinuxKernel
public import SystemPackage

/// A file that could not be read or written.
public struct FileAccessError: ErrorWithExitStatus, Sendable, CustomStringConvertible {
    /// The kind of access.
    public enum Access: Sendable {
        case reading, writing
    }

    let access: Access
    let file: String
    let explanation: String

    init(_ access: Access, _ file: String, _ explanation: String) {
        self.access = access
        self.file = file
        self.explanation = explanation
    }

    /// Makes an error from a system error.
    public init(_ access: Access, _ file: String, _ errno: Errno) {
        switch (access, errno) {
        case (.reading, _):
            self.init(access, file, InputFileError.unreadable(errno).description)
        case (.writing, .fileExists):
            self.init(access, file, "already exists; --force overwrites it")
        case (.writing, _): self.init(access, file, "cannot be written: \(errno)")
        }
    }

    /// The exit code.
    public var status: ExitStatus { access == .reading ? .cannotRead : .cannotWrite }

    /// One sentence with the remedy.
    public var description: String { "\(file): \(explanation)" }
}

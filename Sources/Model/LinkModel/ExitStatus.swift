/// The exit codes of linkcond, taken from sysexits.h where possible.
public enum ExitStatus: Int32, CaseIterable, Sendable {
    /// Done.
    case done = 0
    /// The command did its work, and the answer is no.
    case failed = 1
    /// The command line is wrong: an unknown profile, a bad option.
    case usage = 64
    /// The host cannot do it.
    case unavailable = 69
    /// A bug in linkcond.
    case internalFault = 70
    /// A file or standard output cannot be written.
    case cannotWrite = 73
    /// A file cannot be read.
    case cannotRead = 74
    /// Another process of linkcond is at work; it may succeed later.
    case busy = 75
    /// The caller lacks the privilege.
    case noPermission = 77
    /// A profile, scenario or configuration file is wrong.
    case badFile = 78
    /// A sandbox could not be made or did not last.
    case sandbox = 125
    /// The command to run cannot be executed.
    case notExecutable = 126
    /// The command to run does not exist.
    case notFound = 127
}

/// An error that knows its exit code.
public protocol ErrorWithExitStatus: Error {
    /// The exit code.
    var status: ExitStatus { get }
}

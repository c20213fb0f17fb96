import FoundationEssentials
import Glibc
import LinkModel
import LinuxKernel
import SystemPackage

/// Where the program talks: results to standard output, everything else to standard error.
struct Console {
    /// How much is said on standard error.
    enum Verbosity {
        case quiet, normal, explaining
    }

    var verbosity = Verbosity.normal

    /// Whether standard output is a terminal that shows bold and faint text, and nobody minds.
    var isStyled: Bool {
        guard isatty(STDOUT_FILENO) == 1 else { return false }
        let environment = ProcessInfo.processInfo.environment
        return environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Prints a result, ended by a line break.
    func print(_ text: String) throws(OutputError) {
        do {
            try FileDescriptor.standardOutput.writeAll(text.utf8)
            if text.last != "\n" { try FileDescriptor.standardOutput.writeAll("\n".utf8) }
        } catch Errno.brokenPipe {
            // The reader has seen enough, as `head` has. Where the signal SIGPIPE is not ignored,
            // it ends the process as silently.
            KernelThread.takeBrokenPipe()
        } catch {
            throw OutputError(errno: error as? Errno ?? .ioError)
        }
    }

    /// Says what was done.
    func report(_ text: String) {
        if verbosity != .quiet { writeError(text.printable) }
    }

    /// Says what the user should know, though the command does what it was asked for.
    func note(_ text: String) {
        if verbosity != .quiet { writeError("note: \(text.printable)") }
    }

    /// Says what is done and why, if that was asked for.
    func explain(_ text: String) {
        if verbosity == .explaining { writeError(text.printable) }
    }

    /// Says what was not as a scenario expects, by file and line, as compilers do.
    func fail(_ text: String) { writeError(text.printable) }

    /// Says in one line why the command did not do what it was asked for.
    func complain(_ text: String) {
        writeError("linkcond: \(text.printable)")
    }

    /// Says what is wrong with the arguments, in the lines of the argument parser.
    func complain(usage text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        writeError("linkcond: " + lines.map { String($0).printable }.joined(separator: "\n"))
    }

    private func writeError(_ text: String) {
        // Nobody is left to tell if this fails.
        _ = try? FileDescriptor.standardError.writeAll("\(text)\n".utf8)
    }
}

/// Standard output takes no more.
struct OutputError: Error, CustomStringConvertible {
    let errno: Errno

    var description: String { "cannot write to standard output: \(errno)" }
}

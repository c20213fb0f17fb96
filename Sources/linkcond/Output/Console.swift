import FoundationEssentials
import Glibc
import LinkModel
import LinuxKernel
import SystemPackage

/// The program's output: results to standard output, everything else to standard error.
struct Console {
    /// How much to write to standard error.
    enum Verbosity {
        case quiet, normal, explaining
    }

    var verbosity = Verbosity.normal

    /// Whether standard output is a terminal with bold and faint text, and the user has not
    /// disabled it.
    var isStyled: Bool {
        guard isatty(STDOUT_FILENO) == 1 else { return false }
        let environment = ProcessInfo.processInfo.environment
        return environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Whether the program has a terminal, by which a user can continue it after a stop.
    var hasTerminal: Bool {
        guard let terminal = try? FileDescriptor.open(FilePath("/dev/tty"), .readOnly)
        else { return false }
        try? terminal.close()
        return true
    }

    /// Prints a result and a line break.
    func print(_ text: String) throws(OutputError) {
        do {
            try FileDescriptor.standardOutput.writeAll(text.utf8)
            if text.last != "\n" { try FileDescriptor.standardOutput.writeAll("\n".utf8) }
        } catch Errno.brokenPipe {
            // The reader has closed the pipe, as `head` does. End silently by SIGPIPE, unless it is
            // ignored.
            KernelThread.takeBrokenPipe()
        } catch {
            throw OutputError(errno: error as? Errno ?? .ioError)
        }
    }

    /// Reports what was done.
    func report(_ text: String) {
        if verbosity != .quiet { writeError(text.printable) }
    }

    /// Notes something that the user should know although the command succeeds.
    func note(_ text: String) {
        if verbosity != .quiet { writeError("note: \(text.printable)") }
    }

    /// Explains what is done and why, if asked for (verbose).
    func explain(_ text: String) {
        if verbosity == .explaining { writeError(text.printable) }
    }

    /// Reports a failed expectation of a scenario with file and line, as compilers do.
    func fail(_ text: String) { writeError(text.printable) }

    /// Reports in one line why the command failed.
    func complain(_ text: String) {
        writeError("linkcond: \(text.printable)")
    }

    /// Reports wrong arguments in the argument parser's format.
    func complain(usage text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        writeError("linkcond: " + lines.map { String($0).printable }.joined(separator: "\n"))
    }

    private func writeError(_ text: String) {
        // If this fails, there is nowhere left to report it.
        _ = try? FileDescriptor.standardError.writeAll("\(text)\n".utf8)
    }
}

/// Writing to standard output failed.
struct OutputError: Error, CustomStringConvertible {
    let errno: Errno

    var description: String { "cannot write to standard output: \(errno)" }
}

import ArgumentParser
import Glibc
import LinuxKernel

/// Where the process starts and ends: every error leaves as one line and an exit code.
@main
enum Program {
    static func main() {
        StandardStreams.reserve()
        // Pipes to other processes break when those are killed, which is no reason to end in the
        // middle of a change.
        KernelThread.outliveBrokenPipes()
        var command: any ParsableCommand
        do {
            command = try LinkcondCommand.parseAsRoot(arguments())
        } catch {
            leave(withUsage: error)
        }
        do {
            try command.run()
        } catch let error where isUsage(error) {
            leave(withUsage: error)
        } catch {
            leave(with: error)
        }
    }

    /// The words for the argument parser, without the program's name.
    ///
    /// Of a command behind two hyphens the first word will do: `RunCommand` takes the others from
    /// where they are, byte for byte, and the parser takes seconds for ten thousand of them.
    private static func arguments() -> [String] {
        let words = Process.arguments
        // A shell that asks for completions has hyphens of its own.
        guard words.first != "---completion", let hyphens = words.firstIndex(of: "--")
        else { return Array(words) }
        return Array(words.prefix(through: hyphens) + words[hyphens...].dropFirst().prefix(1))
    }

    /// Whether `error` is the argument parser's own, as a request for help is.
    private static func isUsage(_ error: any Error) -> Bool {
        let status = LinkcondCommand.exitCode(for: error)
        return error is ExitCode || status.isSuccess || status == .validationFailure
    }

    private static func leave(with error: any Error) -> Never {
        let status = ExitStatus(of: error)
        guard MissingProc.explains(status) else {
            Console().complain("\(error)")
            exit(status.rawValue)
        }
        Console().complain("\(MissingProc.explanation) (\(error))")
        exit(ExitStatus.unavailable.rawValue)
    }

    /// Prints what the argument parser has to say: its help, or what is wrong with the arguments.
    private static func leave(withUsage error: any Error) -> Never {
        let status = LinkcondCommand.exitCode(for: error)
        let text = LinkcondCommand.fullMessage(for: error)
        guard !text.isEmpty else { exit(status.rawValue) }
        if status.isSuccess {
            do {
                try Console().print(text)
            } catch {
                leave(with: error)
            }
        } else {
            let prefix = "Error: "
            Console().complain(
                usage: text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text)
        }
        exit(status.rawValue)
    }
}

/// What else goes wrong where the kernel's own file system is not mounted.
private enum MissingProc {
    static let explanation =
        "/proc is not mounted, and linkcond cannot do without it; mount it with: "
        + "mount -t proc proc /proc"

    /// Whether it may be why a command ended with `status`, rather than what its user asked for.
    static func explains(_ status: ExitStatus) -> Bool {
        guard !Process.isProcMounted else { return false }
        return [.failed, .unavailable, .internalFault, .noPermission, .sandbox].contains(status)
    }
}

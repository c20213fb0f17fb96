import ArgumentParser
import FoundationEssentials
import Glibc
import LinkModel
import LinuxKernel

/// The entry point: every error becomes one line and an exit code.
@main
enum Program {
    static func main() {
        StandardStreams.reserve()
        // A pipe breaks when the process at its other end is killed; that must not end this process
        // in the middle of a change.
        KernelThread.outliveBrokenPipes()
        if let answer = completion() {
            do {
                try Console().print(answer)
                exit(0)
            } catch {
                leave(with: error)
            }
        }
        // The parser would print help for the program, and call it a success.
        if Process.arguments.first == "help" { expectVerbs() }
        do {
            if let run = PlainRun(words: Array(Process.arguments)) { try run.run() }
            var command = parsedCommand()
            try command.run()
        } catch let code as ExitCode {
            exit(code.rawValue)
        } catch let error where isUsage(error) {
            leave(withUsage: error)
        } catch {
            leave(with: error)
        }
    }

    private static func parsedCommand() -> any ParsableCommand {
        do {
            return try quickCommand() ?? LinkcondCommand.parseAsRoot(arguments())
        } catch {
            if !LinkcondCommand.exitCode(for: error).isSuccess { expectVerbs() }
            leave(withUsage: error)
        }
    }

    /// The command if it is a verb without verbs of its own, and all its arguments are right; nil otherwise.
    ///
    /// The parser reads the options of the whole tree of commands several times before those of the
    /// one at hand; that takes as long as making the sandbox. Help and errors need the tree.
    private static func quickCommand() -> (any ParsableCommand)? {
        let words = arguments()
        let verb = LinkcondCommand.configuration.subcommands.first {
            $0.configuration.commandName == words.first
        }
        guard let verb, verb.configuration.subcommands.isEmpty else { return nil }
        let command = try? verb.parseAsRoot(Array(words.dropFirst()))
        // A request for help is a command of the parser's own.
        return command.flatMap { type(of: $0) == verb ? $0 : nil }
    }

    /// What a shell asks for: its script, or completions; nil if a user asks for something else.
    private static func completion() -> String? {
        let words = Array(Process.arguments)
        switch words.first {
        case "---complete":
            return CommandLineCompletion.answers(to: Array(words.dropFirst()))
                .map { $0.line + "\n" }.joined()
        case "--generate-completion-script":
            let shell =
                words.dropFirst().first ?? ProcessInfo.processInfo.environment["SHELL"] ?? ""
            return CompletionScript(shell: shell)?.text
        default: return nil
        }
    }

    /// Ends the program if a word in the place of a verb is none.
    private static func expectVerbs() {
        guard let problem = UnknownVerb(in: Array(Process.arguments)) else { return }
        Console().complain("\(problem)")
        exit(ExitStatus.usage.rawValue)
    }

    /// The arguments for the parser, without the program's name.
    ///
    /// Of a command after `--`, only the first word is passed on: `RunCommand` reads the others
    /// directly, byte for byte, and the parser takes seconds for ten thousand of them.
    private static func arguments() -> [String] {
        let words = Process.arguments
        // Shells that ask for completions pass hyphens of their own.
        guard words.first != "---completion", let hyphens = words.firstIndex(of: "--")
        else { return Array(words) }
        return Array(words.prefix(through: hyphens) + words[hyphens...].dropFirst().prefix(1))
    }

    /// Whether `error` comes from the argument parser, which includes help requests.
    private static func isUsage(_ error: any Error) -> Bool {
        let status = LinkcondCommand.exitCode(for: error)
        return status.isSuccess || status == .validationFailure
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

    /// Prints the argument parser's message, its help or an error, and exits.
    private static func leave(withUsage error: any Error) -> Never {
        let status = LinkcondCommand.exitCode(for: error)
        let text = LinkcondCommand.fullMessage(for: error)
        guard !text.isEmpty else { exit(status.rawValue) }
        if status.isSuccess {
            let end =
                text.hasPrefix("OVERVIEW: ") ? HelpScreen.end(for: Array(Process.arguments)) : ""
            do {
                try Console().print(text + end)
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

/// Explains failures caused by an unmounted /proc.
private enum MissingProc {
    static let explanation =
        "/proc is not mounted, and linkcond cannot do without it; mount it with: "
        + "mount -t proc proc /proc"

    /// Whether this may be why a command ended with `status`, rather than a mistake of the user.
    static func explains(_ status: ExitStatus) -> Bool {
        guard !Process.isProcMounted else { return false }
        return [.failed, .unavailable, .internalFault, .noPermission, .sandbox].contains(status)
    }
}

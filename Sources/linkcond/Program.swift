import ArgumentParser
import Glibc

/// Where the process starts and ends: every error leaves as one line and an exit code.
@main
enum Program {
    static func main() {
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
        let words = CommandLine.arguments.dropFirst()
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
        Console().complain("\(error)")
        exit(ExitStatus(of: error).rawValue)
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

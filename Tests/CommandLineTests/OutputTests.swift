import Foundation
import LinkTesting
import Testing

@Suite("Standard output and terminals", .tags(.unit))
struct OutputTests {
    /// Runs linkcond with a pipe as standard output that nobody reads.
    private static let withClosedPipe = """
        import os, subprocess, sys
        reader, writer = os.pipe()
        os.close(reader)
        result = subprocess.run(sys.argv[1:2] + sys.argv[3:], stdout=writer,
                                stderr=subprocess.PIPE, restore_signals=sys.argv[2] == "default")
        print(result.returncode, result.stderr.decode())
        """

    @Test("A reader that is gone ends the program in silence", arguments: ["list", "--help"])
    func closedPipe(argument: String) async throws {
        // As the shell starts it: the signal SIGPIPE, 13, ends it.
        let byDefault = try await python(Self.withClosedPipe, "default", argument)
        #expect(byDefault.standardOutput == "-13 \n", "\(byDefault)")
        // Where the signal is ignored, as some services have it: the write fails.
        let ignoring = try await python(Self.withClosedPipe, "ignored", argument)
        #expect(ignoring.standardOutput == "0 \n", "\(ignoring)")
    }

    @Test("The first line is enough for head")
    func head() async throws {
        let path = try BuiltProduct.path(of: "linkcond")
        let result = try await runProcess("/bin/sh", ["-c", "'\(path)' list | head -n 1"])
        #expect(result.standardOutput.hasPrefix("NAME "))
        #expect(result.standardError == "")
    }

    @Test(
        "A disk that is full, and no output at all, exit 73",
        arguments: [
            (">/dev/full", "No space left on device"), (">&-", "Bad file descriptor"),
        ])
    func fullDisk(redirection: String, reason: String) async throws {
        let path = try BuiltProduct.path(of: "linkcond")
        for arguments in ["list", "show LTE", "show LTE --json", "--help"] {
            let result = try await runProcess(
                "/bin/sh", ["-c", "'\(path)' \(arguments) \(redirection)"])
            #expect(result.exitCode == 73)
            #expect(
                result.standardError == "linkcond: cannot write to standard output: \(reason)\n")
        }
    }

    @Test("Without standard error it still does its work")
    func noStandardError() async throws {
        let path = try BuiltProduct.path(of: "linkcond")
        let result = try await runProcess("/bin/sh", ["-c", "'\(path)' list -v 2>&-"])
        #expect(result.exitCode == 0)
        #expect(result.standardOutput.hasPrefix("NAME "))
    }

    @Test("A descriptor that the caller has closed gets neither a file nor a socket")
    func closedDescriptors() async throws {
        try await withTemporaryDirectory { directory in
            let path = try BuiltProduct.path(of: "linkcond")
            let file = directory.path + "/plot.svg"
            try directory.write("3\n9\n", to: "trace")
            // The first file that is opened would become standard output.
            let result = try await runProcess(
                "/bin/sh",
                ["-c", "'\(path)' trace show \(directory.path)/trace --svg \(file) >&-"])
            #expect(result.exitCode == 73, "\(result)")
            if let text = try? String(contentsOfFile: file, encoding: .utf8) {
                #expect(text.hasPrefix("<svg") || text.isEmpty, "\(text.prefix(200))")
            }
            // What would be written into the socket to the kernel.
            let status = try await runProcess("/bin/sh", ["-c", "'\(path)' status >&-"])
            #expect(status.exitCode == 73, "\(status)")
        }
    }

    /// Runs linkcond on a terminal of its own and prints what the terminal was sent.
    private static let onTerminal = """
        import os, pty, sys
        name, value = sys.argv[2].split("=")
        os.environ.pop("NO_COLOR", None)
        os.environ["TERM"] = "xterm"
        os.environ[name] = value
        sys.exit(os.waitstatus_to_exitcode(pty.spawn([sys.argv[1]] + sys.argv[3:])))
        """

    @Test(
        "Titles are bold on a terminal, unless that is unwanted",
        arguments: [
            ("X=", true), ("NO_COLOR=", true), ("NO_COLOR=1", false), ("TERM=dumb", false),
        ])
    func styles(variable: String, isBold: Bool) async throws {
        for arguments in [["list"], ["show", "LTE"]] {
            let result = try await runProcess(
                "python3",
                ["-c", Self.onTerminal, BuiltProduct.path(of: "linkcond"), variable] + arguments,
                workingDirectory: "/")
            #expect(result.exitCode == 0)
            #expect(result.standardOutput.contains("\u{1b}[1m") == isBold)
            #expect(result.standardOutput.contains("LTE"))
        }
    }

    @Test("In a file there are no styles")
    func noStyles() async throws {
        for verb in ["list", "show"] {
            let result = try await runProcess(
                BuiltProduct.path(of: "linkcond"), verb == "list" ? ["list"] : ["show", "LTE"],
                environment: ["TERM": "xterm"])
            #expect(!result.standardOutput.contains("\u{1b}"))
        }
    }
}

@Suite("A system without /proc", .requiresNamespaces)
struct MissingProcTests {
    @Test("Without /proc it finds its arguments, and says what is missing")
    func missingProc() async throws {
        let path = try BuiltProduct.path(of: "linkcond")
        func run(_ arguments: String) async throws -> ProcessResult {
            try await runProcess(
                "unshare", ["-nm", "sh", "-c", "umount -l /proc; exec \(path) \(arguments)"])
        }
        let list = try await run("list")
        #expect(list.exitCode == 0 && list.standardOutput.hasPrefix("NAME "), "\(list)")
        let help = try await run("apply --help")
        #expect(help.exitCode == 0 && help.standardOutput.contains("linkcond apply"), "\(help)")
        let apply = try await run("apply LTE -i lo")
        #expect(apply.exitCode == 69, "\(apply)")
        #expect(apply.standardError.contains("/proc is not mounted"), "\(apply)")
    }
}

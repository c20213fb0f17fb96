import Foundation
import LinkTesting
import Testing

/// What the command sees of its caller, and the caller of the command.
@Suite("Run: what passes straight through", .requiresNamespaces, .tags(.contrary, .anyKernel))
struct RunPassesThroughTests {
    private static func run(_ command: [String], by caller: Caller) -> SandboxedRun {
        SandboxedRun(arguments: ["LTE", "--uplink", "none", "--"] + command, by: caller)
    }

    private static func script(_ script: String, by caller: Caller) -> SandboxedRun {
        run(["sh", "-c", script], by: caller)
    }

    @Test(
        arguments: [
            ("list", 0), ("run LTE --uplink none -- sh -c 'exit 7'", 7),
        ] as [(String, Int32)])
    func `what needs no proc file system runs without one`(
        arguments: String, exitCode: Int32
    ) async throws {
        let script = "umount -l /proc; \"$0\" \(arguments)"
        let result = try await runProcess(
            "unshare", ["--net", "--mount", "sh", "-c", script, try SandboxedRun.program()])
        #expect(result.exitCode == exitCode, "\(result)")
        #expect(!result.standardError.contains("runtime"), "\(result)")
    }

    @Test(arguments: Caller.allCases)
    func `identity, working directory and environment`(caller: Caller) async throws {
        let result = try await Self.script(
            "id -u; pwd; echo $LCTEST; echo $LINKCOND_PROFILE", by: caller
        ).result(environment: ["LCTEST": "a b"], workingDirectory: "/usr/bin")
        let user = caller.userID ?? 0
        #expect(result.standardOutput == "\(user)\n/usr/bin\na b\napple/LTE\n")
        #expect(result.standardError == "")
        #expect(result.exitCode == 0)
    }

    /// linkcond itself takes short turns, and as root goes before others while it builds the network.
    @Test(arguments: Caller.allCases)
    func `nice value and length of turns`(caller: Caller) async throws {
        let program = try SandboxedRun.program()
        try await withTemporaryDirectory { directory in
            let copy = try directory.write(
                try String(contentsOfFile: BusFixture.path(of: "turns.py"), encoding: .utf8),
                to: "turns.py")
            try shell("chmod 755 \(directory.path); chmod 644 \(copy)")
            let script = """
                set -e
                python3 "$1" 5 700000 python3 "$1"
                python3 "$1" 5 700000 "$0" run LTE --uplink none -- python3 "$1"
                """
            let result = try await runProcess(
                "/bin/sh", ["-c", script, program, copy], userID: caller.userID)
            let lines = result.standardOutput.split(separator: "\n")
            #expect(result.exitCode == 0 && lines.count == 2, "\(result)")
            #expect(lines.first == lines.last, "\(result)")
        }
    }

    @Test(arguments: Caller.allCases)
    func `standard streams`(caller: Caller) async throws {
        let result = try await Self.script("cat; echo oops >&2", by: caller)
            .result(input: "in and out\n")
        #expect(result.standardOutput == "in and out\n")
        #expect(result.standardError == "oops\n")
    }

    @Test(arguments: Caller.allCases)
    func `exit codes, and signals as 128 and their number`(caller: Caller) async throws {
        for code in [0, 1, 42, 124, 255] as [Int32] {
            #expect(try await Self.script("exit \(code)", by: caller).result().exitCode == code)
        }
        for signal in [6, 9, 15] as [Int32] {
            let result = try await Self.script("kill -\(signal) $$", by: caller).result()
            #expect(result.exitCode == 128 + signal)
        }
    }

    @Test(arguments: Caller.allCases)
    func `ten thousand arguments, byte for byte`(caller: Caller) async throws {
        let arguments = (0..<10_000).map { "\($0) ä" }
        let result = try await Self.run(["printf", "%s\n"] + arguments, by: caller).result()
        #expect(result.standardOutput == arguments.map { $0 + "\n" }.joined())
    }

    @Test func `arguments that are no text`() async throws {
        let program = try SandboxedRun.program()
        let result = try await runProcess(
            "/bin/sh",
            [
                "-c",
                #"x=$(printf '\377\200'); "$0" run LTE --uplink none -- printf %s "$x" | od -An -tx1"#,
                program,
            ])
        #expect(result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines) == "ff 80")
    }

    @Test(arguments: Caller.allCases)
    func `a closed standard input stays closed`(caller: Caller) async throws {
        let program = try SandboxedRun.program()
        let script =
            #""$0" run LTE --uplink none -- sh -c 'read -r line; echo $?; ls /proc/self/fd' <&-"#
        let result = try await runProcess(
            "/bin/sh", ["-c", script, program], userID: caller.userID)
        #expect(result.exitCode == 0)
        // dash says 2, other shells 1: none reads from whatever got the number 0.
        #expect(result.standardOutput.first.map { "12".contains($0) } == true)
    }

    @Test(arguments: Caller.allCases)
    func `a signal that is sent to linkcond reaches the command`(caller: Caller) async throws {
        let program = try SandboxedRun.program()
        let script = """
            "$0" run LTE --uplink none -- sh -c 'trap "echo got it; exit 7" USR1 TERM HUP INT
            echo ready; while :; do sleep 0.05; done' >"$1" & pid=$!
            until grep -q ready "$1"; do sleep 0.02; done
            kill -$2 $pid; wait $pid; echo $?
            """
        for signal in ["USR1", "TERM", "HUP"] {
            try await withTemporaryDirectory { directory in
                let file = try directory.write("", to: "out")
                try shell("chmod 666 \(file)")
                let result = try await runProcess(
                    "/bin/sh", ["-c", script, program, file, signal], userID: caller.userID)
                #expect(result.standardOutput == "7\n")
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "ready\ngot it\n")
            }
        }
    }

    @Test func `under sudo the command is the caller's`() async throws {
        let result = try await Self.script("id -u; id -g; id -G; echo $USER", by: .root).result(
            environment: ["SUDO_UID": "1", "SUDO_GID": "2", "SUDO_USER": "daemon"])
        #expect(result.standardOutput == "1\n2\n2\ndaemon\n")
    }

    @Test(arguments: Caller.allCases)
    func `no process outlives the run`(caller: Caller) async throws {
        let mark = "31\(Int.random(in: 100_000...999_999))"
        let result = try await Self.script(
            "setsid sleep \(mark) & (setsid sleep \(mark) &); echo started", by: caller
        ).result()
        #expect(result.standardOutput == "started\n")
        #expect(try await runProcess("pgrep", ["-f", "sleep \(mark)"]).exitCode == 1)
    }

    @Test(arguments: ["192.0.2.7", "2001:db8::7"])
    func `without an uplink other addresses are unreachable at once`(address: String) async throws {
        let ping = SandboxedRun(
            "Baseline", "--uplink", "none", "--", "ping", "-n", "-c", "1", "-W", "30", address)
        let result = try await ping.result()
        #expect(result.exitCode == 1, "\(result)")
        #expect(result.standardOutput.lowercased().contains("unreachable"), "\(result)")
    }

    @Test func `a command that runs too long is asked to end, then ended`() async throws {
        let polite = SandboxedRun(
            "LTE", "--uplink", "none", "--timeout", "2s", "--", "sh", "-c",
            "trap 'echo bye; exit 3' TERM; sleep 60 & wait")
        let result = try await polite.result()
        #expect(result.exitCode == 124)
        #expect(result.standardOutput == "bye\n")
        let stubborn = SandboxedRun(
            "LTE", "--uplink", "none", "--timeout", "300ms", "--", "sh", "-c",
            "trap '' TERM; while :; do sleep 0.1; done")
        #expect(try await stubborn.result().exitCode == 124)
    }

    /// `PlainRun` reads the shortest form, without the argument parser.
    @Test(arguments: [["lte"], ["LTE", "--uplink", "none"], ["LTEE"], ["LTE", "--uplink", "nun"]])
    func `the shortest form does what the same does with another option`(words: [String])
        async throws
    {
        let script = "env | sort; ip -o address; cat /etc/hosts /etc/resolv.conf; exit 3"
        let command = ["--", "sh", "-c", script]
        let short = try await SandboxedRun(arguments: words + command).result()
        let long = try await SandboxedRun(
            arguments: words + ["--backend", "auto"] + command
        ).result()
        #expect(short.standardOutput == long.standardOutput)
        #expect(short.standardError == long.standardError)
        #expect(short.exitCode == long.exitCode)
        #expect([3, 64].contains(short.exitCode), "\(short)")
    }
}

import LinkTesting
import Testing

/// What the user is told when a run is impossible.
@Suite("Run: bad input", .requiresNamespaces, .tags(.contrary, .anyKernel))
struct RunBadInputTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var arguments: [String]
        var exitCode: Int32
        var message: String

        init(_ arguments: String..., exit exitCode: Int32, _ message: String) {
            self.arguments = arguments
            self.exitCode = exitCode
            self.message = message
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    @Test(arguments: [
        Case("LTE", exit: 64, "there is no command; write it behind --"),
        Case("LTE", "--", exit: 64, "there is no command"),
        Case("LET", "--", "true", exit: 64, "did you mean"),
        Case("LTE", "--uplink", "cable", "--", "true", exit: 64, "cable"),
        Case("LTE", "--backend", "magic", "--", "true", exit: 64, "magic"),
        Case("LTE", "--seed", "-1", "--", "true", exit: 64, "seed"),
        Case("LTE", "--timeout", "5", "--", "true", exit: 64, "has no unit"),
        Case("LTE", "--server-ready", "70000", "--", "true", exit: 64, "70000"),
        Case("LTE", "--set", "down.loss=200%", "--", "true", exit: 64, "more than 100%"),
        Case(
            "LTE", "--uplink", "none", "--", "no-such-command", exit: 127,
            "no-such-command: command not found"),
        Case(
            "LTE", "--uplink", "none", "--", "/no/such/command", exit: 127,
            "/no/such/command: command not found"),
        Case(
            "LTE", "--uplink", "none", "--", "/etc/passwd", exit: 126,
            "/etc/passwd: cannot be executed: Permission denied"),
        Case(
            "LTE", "--uplink", "none", "--server", "exit 3", "--server-ready", "80", "--", "true",
            exit: 125, "exit 3: the server ended (exit code 3) before it listened on port 80"),
    ])
    func `says what is wrong and what to do`(problem: Case) async throws {
        for caller in Caller.allCases {
            let result = try await SandboxedRun(arguments: problem.arguments, by: caller).result()
            #expect(result.exitCode == problem.exitCode)
            #expect(result.standardError.hasPrefix("linkcond: "))
            #expect(result.standardError.contains(problem.message), "\(result.standardError)")
        }
    }

    @Test func `where users may make no namespaces, says how to allow it`() async throws {
        // In a user namespace of its own the number can be limited without touching the host's.
        let program = try SandboxedRun.program()
        let script = """
            echo 0 >/proc/sys/user/max_user_namespaces
            exec setpriv --bounding-set -all "$0" run LTE --uplink none -- true
            """
        let result = try await runProcess(
            "unshare", ["--user", "--map-root-user", "sh", "-c", script, program])
        #expect(result.exitCode == 125)
        #expect(result.standardError.contains("sudo sysctl -w user.max_user_namespaces="))
    }

    @Test(arguments: Caller.allCases)
    func `a run inside a run has a network of its own`(caller: Caller) async throws {
        let program = try SandboxedRun.program()
        let output = try await SandboxedRun(
            "LTE", "--uplink", "none", "--", program, "run", "3G", "--uplink", "none", "--",
            "ip", "-brief", "address", "show", "eth0", by: caller
        ).output()
        #expect(output.contains("198.18.1.2/24"))
    }
}

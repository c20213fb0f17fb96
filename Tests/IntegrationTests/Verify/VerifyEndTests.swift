import Foundation
import LinkTesting
import Testing

/// Whatever ends `linkcond verify`, nothing stays.
@Suite("End of verify", .requiresNamespaces) struct VerifyEndTests {
    @Test(arguments: ["INT", "TERM"])
    func `a signal leaves no process and no file`(signal: String) async throws {
        try await withTemporaryDirectory { directory in
            let result = try await Self.script(
                """
                "$PROGRAM" verify 3G Edge --thorough --jobs 2 & pid=$!
                wait_for_probe >/dev/null
                kill -\(signal) $pid
                wait $pid
                echo "exit $?"
                pgrep -af "directory $TMPDIR/"
                ls -A "$TMPDIR"
                """, in: directory)
            let code = signal == "INT" ? 130 : 143
            #expect(result.standardOutput == "exit \(code)\n", "\(result.standardError)")
        }
    }

    @Test func `what a killed one leaves the next one removes`() async throws {
        try await withTemporaryDirectory { directory in
            let result = try await Self.script(
                """
                "$PROGRAM" verify 3G --thorough >/dev/null 2>&1 & pid=$!
                wait_for_probe >/dev/null
                kill -9 $pid
                wait $pid
                ls -A "$TMPDIR" | wc -l
                while pgrep -f "directory $TMPDIR/" >/dev/null; do sleep 0.02; done
                # Those that are dying have no words any more, but their files: the lock says that
                # somebody lives.
                flock "$TMPDIR"/linkcond-verify-* true
                "$PROGRAM" verify 3G --thorough >/dev/null 2>&1 & pid=$!
                wait_for_probe >/dev/null
                ls -A "$TMPDIR" | wc -l
                kill -TERM $pid
                wait $pid
                ls -A "$TMPDIR"
                """, in: directory)
            #expect(result.standardOutput == "1\n1\n", "\(result)")
        }
    }

    // MARK: Helpers

    /// Runs a shell script, in which `wait_for_probe` prints the process of an app's probe that
    /// puts its files into `directory`.
    static func script(
        _ script: String, in directory: TemporaryDirectory
    ) async throws -> ProcessResult {
        let functions = """
            wait_for_probe() {
                until pgrep -f -- "--role app .*directory $TMPDIR/" | head -n 1 | grep .; do
                    sleep 0.02
                done
            }

            """
        let environment = ProcessInfo.processInfo.environment.merging(
            ["PROGRAM": try SandboxedRun.program(), "TMPDIR": directory.path]) { $1 }
        return try await runProcess(
            "sh", ["-c", functions + script], environment: environment, timeout: .seconds(120))
    }
}

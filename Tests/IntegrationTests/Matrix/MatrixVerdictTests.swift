import Foundation
import LinkTesting
import Matrix
import Testing

/// What must not turn a failure into a success, or lose results, on the way to the verdict.
@Suite("Matrix: verdicts", .requiresNamespaces, .tags(.anyKernel))
struct MatrixVerdictTests {
    private static let network = ["--profiles", "LTE", "--no-baseline", "--uplink", "none"]

    /// A suite whose exit code is lost in a pipe.
    private static let suite = """
        { echo '<testsuite><testcase name="login"><failure message="no"/></testcase></testsuite>' \
        >"$LINKCOND_OUTPUT/junit.xml"; false; } | cat
        """

    @Test(arguments: [Caller.root, .ordinaryUser])
    func `failed tests count without a report as well`(caller: Caller) async throws {
        try await MatrixRun.with(by: caller) { run in
            let temporary = run.directory.path + "/temporary"
            try FileManager.default.createDirectory(
                atPath: temporary, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o777])
            let result = try await run.result(
                Self.network + ["--", "sh", "-c", Self.suite], environment: ["TMPDIR": temporary])
            #expect(result.exitCode == 1, "\(result)")
            #expect(
                result.standardOutput.contains("1 test failed, though the command ended with 0"),
                "\(result)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
        }
    }

    @Test(arguments: [Caller.root, .ordinaryUser])
    func `what cannot be looked at hides no failure beside it, and stays nowhere`(
        caller: Caller
    ) async throws {
        try await MatrixRun.with(by: caller) { run in
            let temporary = run.directory.path + "/temporary"
            try FileManager.default.createDirectory(
                atPath: temporary, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o777])
            let closed = """
                mkdir -p "$LINKCOND_OUTPUT/s/t"; chmod 0 "$LINKCOND_OUTPUT/s"
                name=$(printf 'n\\377'); mkdir "$LINKCOND_OUTPUT/$name"
                """
            // The second time over the files of the first.
            for report in [[], ["--report", "report"], ["--report", "report"]] {
                let result = try await run.result(
                    Self.network + report + ["--", "sh", "-c", closed + "\n" + Self.suite],
                    environment: ["TMPDIR": temporary])
                #expect(result.exitCode == 1, "\(result)")
                #expect(result.standardOutput.contains("1 test failed, though"), "\(result)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
            let named = try await run.result(
                Self.network + ["--collect", "*.xml", "--", "sh", "-c"]
                    + [#"echo "<testsuites/>" >"$LINKCOND_OUTPUT/$(printf 'j\377').xml""#])
            #expect(named.exitCode == 1, "\(named)")
            #expect(named.standardOutput.contains("its name is not UTF-8"), "\(named)")
        }
    }

    @Test func `a suite that has written no results at all has not passed`() async throws {
        try await MatrixRun.with { run in
            for report in [[], ["--report", "report"]] {
                let result = try await run.result(
                    Self.network + ["--collect", "**/junit-*.xml"] + report + ["--", "true"])
                #expect(result.exitCode == 1, "\(result)")
                #expect(
                    result.standardOutput.contains("no file in LINKCOND_OUTPUT matches --collect"))
            }
        }
    }

    @Test func `the report whose cells run again is not replaced by theirs`() async throws {
        try await MatrixRun.with { run in
            let first = try await run.result(
                Self.network + ["--repeat", "2", "--report", "report", "--"]
                    + ["sh", "-c", "test $LINKCOND_CELL = LTE/1"])
            #expect(first.exitCode == 1, "\(first)")
            for path in ["report", "./report/", "report/../report"] {
                let again = try await run.result("--rerun-failed", "report", "--report", path)
                #expect(again.exitCode == 64, "\(again)")
                #expect(again.standardError.contains("which would be lost; choose another"))
                let merged = try await run.result("merge", "--report", path, "report", "report")
                #expect(merged.exitCode == 64, "\(merged)")
                #expect(merged.standardError.contains("one of the reports to merge"))
            }
            #expect(try run.report().cells.map(\.status) == [.passed, .failed])
        }
    }

    @Test func `a failure that awaits its repeat survives SIGKILL`() async throws {
        try await MatrixRun.with { run in
            let cell = "test -e good && exit; test -e tried && sleep 60; touch tried; exit 1"
            let killed = try await run.script(
                """
                $LINKCOND matrix \(Self.network.joined(separator: " ")) --retries 1 \
                    --report report -- sh -c '\(cell)' & matrix=$!
                until test -e report/logs/LTE.attempt-2.log; do sleep 0.05; done
                kill -KILL $matrix
                $LINKCOND matrix merge --report merged report
                """)
            #expect(killed.exitCode == 1, "\(killed)")
            #expect(try run.report("merged").cells.map(\.problem) == ["exit code 1"])
            try run.directory.write("", to: "good")
            let resumed = try await run.result("--resume", "report")
            #expect(resumed.exitCode == 0, "\(resumed)")
            #expect(try run.report().cells.map(\.status) == [.passed])
        }
    }

    @Test(arguments: [">/dev/full", "| true"])
    func `who does not read the table gets the report all the same`(
        output: String
    ) async throws {
        try await MatrixRun.with { run in
            _ = try await run.script(
                "$LINKCOND matrix \(Self.network.joined(separator: " ")) --report report -- true "
                    + output)
            #expect(try run.report().passed == 1)
            for page in ["junit.xml", "summary.md", "report.html"] {
                #expect(try !run.text(page).isEmpty)
            }
        }
    }
}

import LinkTesting
import Matrix
import Testing

/// Two reports of a suite, compared by the program.
@Suite("Matrix: comparison", .requiresNamespaces, .tags(.anyKernel))
struct MatrixCompareTests {
    /// A suite with one test that is broken, one that is fixed and one that is flaky after a change.
    private static let suite = """
        result() {
            printf '<testcase classname="api" name="%s" time="0.1">' $1
            [ -z "$2" ] || printf '<failure message="%s"/>' "$2"
            printf '</testcase>'
        }
        {
            printf '<testsuites><testsuite name="api">'
            if [ $1 = before ]; then
                result login; result upload 'no answer'; result search
            else
                result login 'no answer'; result upload
                case $LINKCOND_CELL in */1) result search 'too late' ;; *) result search ;; esac
            fi
            printf '</testsuite></testsuites>'
        } >$LINKCOND_OUTPUT/junit.xml
        """

    @Test func `a regression, a fix and a flaky test are told apart`() async throws {
        try await MatrixRun.with { run in
            try run.directory.write(Self.suite, to: "suite.sh")
            for side in ["before", "after"] {
                let result = try await run.result(
                    "--profiles", "LTE", "--no-baseline", "--repeat", "2", "--uplink", "none",
                    "--report", side, "--", "sh", "suite.sh", side)
                #expect(result.exitCode == 1, "\(result)")
            }
            let result = try await run.result(
                "compare", "--fail-on", "new-failures,slower:20%", "before", "after")
            #expect(result.exitCode == 1, "\(result)")
            let text = result.standardOutput
            #expect(text.contains("Newly failing\n  LTE: api.login (2 passed before; 2 failed"))
            #expect(text.contains("Fixed\n  LTE: api.upload (2 failed before; 2 passed after)\n"))
            #expect(text.contains("Newly flaky\n  LTE: api.search (2 passed before; 1 passed, 1"))
            #expect(text.contains("Still failing\n  LTE (2 failed before; 2 failed after)"))
            #expect(text.contains("note: command: sh suite.sh before before, sh suite.sh after"))
            #expect(text.hasSuffix("1 regression; 1 cells and 3 tests compared\n"))

            let backwards = try await run.result("compare", "after", "before", "--json")
            #expect(backwards.exitCode == 1, "upload fails there: \(backwards)")
            try await JSONSchema("comparison").expectValid(backwards.standardOutput)
            let same = try await run.result("compare", "--markdown", "before", "before")
            #expect(same.exitCode == 0 && same.standardOutput.hasPrefix("## ✅"), "\(same)")
        }
    }

    @Test func `what cannot be compared is named`() async throws {
        try await MatrixRun.with { run in
            try run.directory.write("{", to: "report.json")
            for (arguments, code, message) in [
                (["nowhere", "."], 74, "nowhere"), ([".", "."], 78, "report.json"),
                (["--fail-on", "slower", ".", "."], 78, "report.json"),
                (["--fail-on", "louder", ".", "."], 64, "\"louder\" is no rule"),
                (["."], 64, "after"),
            ] as [([String], Int32, String)] {
                let result = try await run.result(["compare"] + arguments)
                #expect(result.exitCode == code, "\(result)")
                #expect(result.standardError.contains(message), "\(result)")
            }
        }
    }
}

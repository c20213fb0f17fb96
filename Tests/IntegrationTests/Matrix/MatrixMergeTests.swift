import Foundation
import LinkTesting
import Matrix
import Testing

/// Reports of several machines, some of which are lost.
@Suite("Matrix: merging", .requiresNamespaces, .tags(.anyKernel))
struct MatrixMergeTests {
    @Test func `what a lost machine should have run is missing, and runs again`() async throws {
        try await MatrixRun.with { run in
            let result = try await run.script(
                """
                for part in 1 3; do
                    $LINKCOND matrix --profiles LTE,3G,Edge --seed 5 --uplink none --quiet \\
                        --shard $part/3 --report part-$part -- true || exit 9
                done
                $LINKCOND matrix merge --report report part-*
                echo "code $?"
                $LINKCOND matrix --rerun-failed report --report again
                echo "code $?"
                head -c 300 part-1/report.json >cut
                mv cut part-3/report.json
                $LINKCOND matrix merge --report all again report part-3 part-4
                echo "code $?"
                """)
            #expect(result.exitCode == 0, "\(result)")
            let codes = result.standardOutput.split(separator: "\n").filter {
                $0.hasPrefix("code")
            }
            #expect(codes == ["code 1", "code 0", "code 0"], "\(result)")
            let merged = try run.report()
            #expect(merged.cells.map(\.id) == ["baseline", "LTE", "3G", "Edge"])
            #expect(merged.cells.map(\.status) == [.passed, .passed, .missing, .passed])
            #expect(try run.text("junit.xml").contains("no report has its result"))
            try await JSONSchema("report").expectValid(try run.text("report.json"))
            let again = try run.report("again")
            #expect(again.cells.map(\.id) == ["3G"] && again.isSuccess)
            #expect(try again.cells[0].seed == merged.cell("3G").seed)
            let all = try run.report("all")
            #expect(all.isSuccess && all.isFinished && all.cells.count == 4)
            #expect(
                all.notes.filter { $0.hasPrefix("left out") } == [
                    "left out: part-3/report.json: not a report of linkcond matrix, or not a whole "
                        + "one", "left out: cannot read part-4: no report is there",
                ])
            let logs = try FileManager.default.contentsOfDirectory(
                atPath: "\(run.directory.path)/all/logs")
            let named = all.cells.compactMap(\.log?.path).sorted()
            #expect(logs.map { "logs/\($0)" }.sorted() == named)
        }
    }

    @Test func `the history of reports names what is no report, and draws the budgets`()
        async throws
    {
        try await MatrixRun.with { run in
            try run.directory.write(
                "profiles: [LTE]\nexpect: { LTE: { duration: at most 30 s } }\n",
                to: "linkcond.yaml")
            let result = try await run.script(
                """
                for part in 1 2; do
                    $LINKCOND matrix --uplink none --quiet --report report-$part -- true || exit 9
                done
                mkdir empty
                $LINKCOND matrix history report-* empty
                echo "code $?"
                $LINKCOND matrix history --json report-1 >history.json
                echo "code $?"
                $LINKCOND matrix history empty absent
                echo "code $?"
                $LINKCOND matrix history --output absent/page.html report-1
                echo "code $?"
                $LINKCOND matrix history --output - report-1 >page.html
                echo "code $?"
                $LINKCOND matrix history --output - --json report-1
                echo "code $?"
                test -e - || echo "code none"
                """)
            let codes = result.standardOutput.split(separator: "\n").filter {
                $0.hasPrefix("code")
            }
            let expected = [
                "code 0", "code 0", "code 74", "code 73", "code 0", "code 64", "code none",
            ]
            #expect(codes.map(String.init) == expected, "\(result)")
            #expect(
                result.standardError.contains(
                    "note: left out: cannot read empty/report.json: no report is there"))
            let file = { (name: String) in "\(run.directory.path)/\(name)" }
            let page = try String(contentsOfFile: file("history.html"), encoding: .utf8)
            #expect(page.contains("2 reports") && page.contains("class=\"budget\" d=\"M0 "))
            let printed = try String(contentsOfFile: file("page.html"), encoding: .utf8)
            #expect(printed.lowercased().hasPrefix("<!doctype html>"))
            #expect(printed.contains("1 report"))
            let json = try String(contentsOfFile: file("history.json"), encoding: .utf8)
            #expect(json.contains("at most 30 s"))
            try await JSONSchema("history").expectValid(json)
        }
    }
}

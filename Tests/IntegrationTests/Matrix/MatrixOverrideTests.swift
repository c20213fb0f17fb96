import Foundation
import LinkTesting
import Matrix
import Testing

/// What commands see of their interface in a matrix, and what is expected of them then.
@Suite("Matrix: overrides", .requiresNamespaces, .tags(.anyKernel))
struct MatrixOverrideTests {
    @Test func `options and file say what commands see, and a repeated cell sees the same`()
        async throws
    {
        try await MatrixRun.with { run in
            try run.directory.write(
                """
                command: [sh, -c, 'echo $LINKCOND_INTERFACE_KIND $LINKCOND_EXPENSIVE $LINKCOND_CONSTRAINED']
                profiles: [LTE, WiFi]
                uplink: none
                constrained: true
                override: { WiFi: { constrained: false, expensive: true } }
                expect: { LTE: { exit: 3 }, WiFi: { exit: 3 } }
                """, to: "linkcond.yaml")
            let first = try await run.result("--kind", "wired", "--report", "report")
            #expect(first.exitCode == 1, "\(first)")
            let seen = ["baseline": "wired 0 1\n", "LTE": "wired 0 1\n", "WiFi": "wired 1 0\n"]
            for cell in try run.report().cells {
                #expect(try run.log(of: cell) == Data((seen[cell.id] ?? "").utf8))
            }
            let again = try await run.result("--rerun-failed", "report", "--report", "again")
            #expect(again.exitCode == 1, "\(again)")
            let report = try run.report("again")
            #expect(report.cells.map(\.id) == ["LTE", "WiFi"])
            for cell in report.cells {
                let path = "\(run.directory.path)/again/\(cell.log?.path ?? "")"
                #expect(try String(contentsOfFile: path, encoding: .utf8) == seen[cell.id])
            }
            #expect(
                report.cells[1].reproduce.prefix(11) == [
                    "linkcond", "run", "WiFi", "--uplink", "none", "--cost", "expensive",
                    "--low-data", "off", "--kind", "wired",
                ])
            let json = try String(
                contentsOfFile: run.reportPath + "/report.json", encoding: .utf8)
            try await JSONSchema("report").expectValid(json)
        }
    }

    /// Four commands: one waits as long as its path is constrained, one asks all the same, one is
    /// not constrained, and one is free for a while and asks only then.
    @Test func `who asks something of a constrained path fails, and is told so`() async throws {
        try await MatrixRun.with { run in
            try run.directory.write(
                """
                profiles: [LTE, 3G, WiFi, Edge]
                uplink: none
                constrained: true
                override: { WiFi: { constrained: false } }
                expect:
                  LTE: { requests: none while constrained }
                  3G: { requests: none while constrained }
                  WiFi: { requests: none while constrained }
                  Edge: { requests: none while constrained }
                command: |
                  ask() { ping -n -c 3 -i 0.2 198.18.0.1; }
                  case $LINKCOND_CELL in
                      LTE) sleep 0.5 ;;
                      Edge)
                          sleep 0.3
                          $LINKCOND override set -i eth0 --low-data off
                          ask
                          sleep 0.3
                          $LINKCOND override set -i eth0 --low-data on
                          sleep 1.5 ;;
                      *) ask ;;
                  esac
                """, to: "linkcond.yaml")
            let result = try await run.script(
                "export LINKCOND; exec $LINKCOND matrix --jobs 5 --report report")
            #expect(result.exitCode == 1, "\(result)")
            let report = try run.report()
            let problems = report.cells.map(\.problem)
            #expect(report.cells.map(\.id) == ["baseline", "LTE", "3G", "WiFi", "Edge"])
            #expect(problems[0] == nil && problems[1] == nil && problems[4] == nil, "\(problems)")
            #expect(problems[2]?.hasPrefix("sent 3 packets in ") == true, "\(problems)")
            let expected = "; expected requests: none while constrained"
            #expect(problems[2]?.hasSuffix(" of a constrained path" + expected) == true)
            #expect(problems[3] == "the path was never constrained" + expected)
            for name in ["summary.md", "junit.xml", "report.html"] {
                let text = try String(
                    contentsOfFile: "\(run.reportPath)/\(name)", encoding: .utf8)
                #expect(text.contains("sent 3 packets in"), "\(name)")
            }
        }
    }
}

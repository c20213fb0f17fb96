import LinkTesting
import Matrix
import Testing

/// `survives` with curl, which gives up when a download takes too long.
@Suite("Matrix: values to survive", .requiresNamespaces, .tags(.anyKernel))
struct MatrixSurvivalTests {
    @Test func `a value that curl's time limit bears passes, and one that it does not fails`()
        async throws
    {
        try await MatrixRun.with { run in
            try run.directory.write(
                """
                command: curl -4 -sS -o /dev/null --fail --max-time 3 http://server.linkcond:8000/linkcond
                profiles: [baseline, LTE]
                uplink: none
                servers: ['exec python3 -m http.server --bind :: --directory / 8000']
                server-ready: 8000
                jobs: 1
                expect:
                  LTE: { exit: 22, survives: { down.delay: 100 ms, delay: 2 s } }
                """, to: "linkcond.yaml")
            let result = try await run.result("--no-baseline", "--report", "report")
            let report = try run.report()
            #expect(
                report.cells.map(\.id) == ["LTE", "LTE, delay=2 s", "LTE, down.delay=100 ms"],
                "\(result)")
            #expect(report.cells.map(\.status) == [.passed, .failed, .passed], "\(result)")
            #expect(report.cells[1].exitCode == 28)
            #expect(report.cells[2].conditions.down == "50 Mbit/s, delay 100 ms")
            #expect(report.cells[2].reproduce.contains("down.delay=100 ms"))
            let json = try run.text("report.json")
            try await JSONSchema("report").expectValid(json)
        }
    }
}

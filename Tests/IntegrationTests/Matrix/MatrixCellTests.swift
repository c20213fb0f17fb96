import Foundation
import LinkModel
import LinkTesting
import Matrix
import Recording
import Testing

/// Cells in real sandboxes.
@Suite("Matrix: cells", .requiresNamespaces, .tags(.anyKernel))
struct MatrixCellTests {
    @Test(arguments: Caller.allCases)
    func `each profile gets its verdict, its log and its place in the report`(
        caller: Caller
    ) async throws {
        try await MatrixRun.with(by: caller) { run in
            try run.directory.write(
                """
                command: [sh, -c, 'printf "%s \\0\\377" "$LINKCOND_CELL $GREETING"; \
                test $LINKCOND_PROFILE != apple/100%-Loss']
                profiles: [LTE, 100%-loss, 3G]
                uplink: none
                env: { GREETING: hello }
                expect:
                  100%-loss: { exit: nonzero }
                  3G: { exit: 1 }
                """, to: "linkcond.yaml")
            let result = try await run.result("--report", "report")
            #expect(result.exitCode == 1, "\(result)")
            let report = try run.report()
            #expect(report.cells.map(\.id) == ["baseline", "LTE", "100%-loss", "3G"])
            #expect(report.cells.map(\.status) == [.passed, .passed, .passed, .failed])
            #expect(report.cells.map(\.exitCode) == [0, 0, 1, 0])
            #expect(report.passed == 3 && report.failed == 1 && report.isFinished)
            #expect(try report.cell("3G").problem == "exit code 0; expected exit: 1")
            #expect(try report.cell("LTE").conditions.down == "50 Mbit/s, delay 50 ms")
            #expect(try report.cell("baseline").conditions.down == "unlimited")
            for cell in report.cells {
                #expect(try run.log(of: cell) == Data("\(cell.id) hello \0".utf8) + [0xff])
            }
            let json = try String(
                contentsOfFile: run.reportPath + "/report.json", encoding: .utf8)
            try await JSONSchema("report").expectValid(json)
            #expect(result.standardOutput.contains("3 passed, 1 failed"))
            #expect(result.standardError.contains("] 3G failed, "))
        }
    }

    @Test func `the link of each cell is that of its profile, and is counted over time`()
        async throws
    {
        try await MatrixRun.with { run in
            let result = try await run.result(
                "--profiles", "LTE", "--uplink", "none", "--set", "up.delay=100 ms", "--report",
                "report", "--", "ping", "-n", "-c", "3", "-i", "0.1", "198.18.0.1")
            #expect(result.exitCode == 0, "\(result)")
            let report = try run.report()
            let (baseline, cell) = (try report.cell("baseline"), try report.cell("LTE"))
            for cell in [baseline, cell] {
                let statistics = try #require(cell.statistics)
                #expect(statistics.backend == .engine)
                #expect(statistics.up.engine?.arrivedPackets == 3 && statistics.down.packets == 3)
                #expect(!cell.samples.isEmpty)
                #expect(cell.samples.map(\.seconds) == cell.samples.map(\.seconds).sorted())
            }
            let delays = cell.samples.compactMap(\.up.delayMilliseconds)
            #expect(!delays.isEmpty && delays.allSatisfy { $0 >= 100 })
            #expect(cell.durationSeconds >= 0.35)
            #expect(cell.baselineSeconds == baseline.durationSeconds)
            let text = String(decoding: try run.log(of: cell), as: UTF8.self)
            #expect(text.contains("3 packets transmitted, 3 received"))
        }
    }

    @Test func `what failed is repeated with the seeds it had, and nothing else is`() async throws {
        try await MatrixRun.with { run in
            let first = try await run.result(
                "--profiles", "high-loss,LTE", "--uplink", "none", "--set", "up.loss=30%",
                "--set", "up.delay=1 ms", "--set", "down.delay=1 ms", "--report", "report", "--",
                "sh", "-c",
                """
                ping -n -c 100 -i 0.002 -W 1 198.18.0.1
                test "$LINKCOND_CELL" != high-loss
                """)
            #expect(first.exitCode == 1, "\(first)")
            let second = try await run.result("--rerun-failed", "report", "--report", "again")
            #expect(second.exitCode == 1, "\(second)")
            let (before, after) = (try run.report(), try run.report("again"))
            #expect(after.cells.map(\.id) == ["high-loss"])
            #expect(after.command == before.command)
            let (was, isNow) = (try before.cell("high-loss"), after.cells[0])
            #expect(isNow.seed == was.seed && was.seed != nil)
            #expect(was.statistics?.up.engine?.arrivedPackets == 100)
            #expect(isNow.statistics?.up.lost == was.statistics?.up.lost)
            #expect((was.statistics?.up.lost ?? 0) > 5)
            #expect(isNow.reproduce == was.reproduce)
            #expect(
                was.reproduce.prefix(7) == [
                    "env", "LINKCOND_CELL=high-loss", "linkcond", "run", "high-loss", "--set",
                    "up.loss=30%",
                ])
        }
    }

    @Test func `one that passes when it is repeated is flaky, and its attempts are kept`()
        async throws
    {
        try await MatrixRun.with { run in
            let result = try await run.result(
                "--profiles", "LTE,3G", "--no-baseline", "--uplink", "none", "--retries", "2",
                "--report", "report", "--", "sh", "-c",
                """
                echo attempt >>attempts-$LINKCOND_CELL
                cp -n attempts-$LINKCOND_CELL $LINKCOND_OUTPUT/attempts
                test $LINKCOND_CELL = LTE || exit 7
                test $(wc -l <attempts-$LINKCOND_CELL) = 2
                """)
            #expect(result.exitCode == 1, "\(result)")
            let report = try run.report()
            let (flaky, failed) = (try report.cell("LTE"), try report.cell("3G"))
            #expect(flaky.status == .passed && flaky.isFlaky)
            #expect(flaky.earlierAttempts.map(\.exitCode) == [1])
            #expect(failed.status == .failed && failed.exitCode == 7)
            #expect(failed.earlierAttempts.count == 2)
            let seeds = (failed.earlierAttempts.map(\.seed) + [failed.seed]).compactMap(\.self)
            #expect(Set(seeds).count == 3)
            #expect(report.passed == 1 && report.flaky == 1 && report.failed == 1)
            // What an attempt has written is apart from what another has.
            let directories = failed.earlierAttempts.map(\.files) + [failed.files]
            #expect(
                directories == ["files/3G", "files/3G.attempt-2", "files/3G.attempt-3"])
            for (number, directory) in directories.enumerated() {
                let path = "\(run.reportPath)/\(try #require(directory))/attempts"
                let text = try String(contentsOfFile: path, encoding: .utf8)
                #expect(text.count { $0 == "\n" } == number + 1)
            }
        }
    }

    @Test func `what takes too long is ended, and what cannot be run says why`() async throws {
        try await MatrixRun.with { run in
            let slow = try await run.result(
                "--profiles", "LTE", "--no-baseline", "--uplink", "none", "--timeout", "300 ms",
                "--report", "report", "--", "sleep", "60")
            #expect(slow.exitCode == 1)
            #expect(try run.report().cells.map(\.status) == [.timedOut])
            let missing = try await run.result(
                "--profiles", "LTE", "--no-baseline", "--uplink", "none", "--report", "report",
                "--", "no-such-command")
            #expect(missing.exitCode == 1)
            let cell = try run.report().cells[0]
            #expect(cell.status == .error && cell.problem == "no-such-command: command not found")
        }
    }

    @Test(arguments: [false, true])
    func `failed tests fail a cell whose command ends with 0`(isTrusted: Bool) async throws {
        try await MatrixRun.with { run in
            if isTrusted { try run.directory.write("trust-exit-code: true", to: "linkcond.yaml") }
            let result = try await run.result(
                "--profiles", "LTE", "--uplink", "none", "--report", "report", "--", "sh", "-c",
                #"""
                test "$LINKCOND_CELL" = baseline || outcome='<failure message="too slow"/>'
                echo "<testsuite><testcase name='fetch'>$outcome</testcase></testsuite>" |
                    tee "$LINKCOND_OUTPUT/tests.xml"
                """#)
            let report = try run.report()
            #expect(try report.cell("baseline").status == .passed)
            let cell = try report.cell("LTE")
            #expect(result.exitCode == (isTrusted ? 0 : 1), "\(result)")
            #expect(cell.exitCode == 0 && cell.status == (isTrusted ? .passed : .failed))
            let problem = "1 test failed, though the command ended with 0"
            #expect(cell.problem == (isTrusted ? nil : problem))
            let junit = try run.text("junit.xml")
            #expect(junit.contains("<skipped") == isTrusted)
            #expect(junit.contains("<failure message=\"too slow\"") != isTrusted, "\(junit)")
            try await JSONSchema("report").expectValid(try run.text("report.json"))
        }
    }

    @Test func `the first failure ends the others if it is to`() async throws {
        try await MatrixRun.with { run in
            let result = try await run.result(
                "--profiles", "LTE,3G,Edge", "--no-baseline", "--uplink", "none", "--jobs", "2",
                "--fail-fast", "--report", "report", "--", "sh", "-c",
                """
                test $LINKCOND_CELL = 3G && exec sleep 60
                exit 5
                """)
            #expect(result.exitCode == 1, "\(result)")
            let report = try run.report()
            #expect(report.cells.map(\.status) == [.failed, .notRun, .notRun])
            #expect(!report.isFinished)
        }
    }

    @Test func `parts of a matrix are together what the whole is`() async throws {
        try await MatrixRun.with { run in
            let result = try await run.script(
                """
                set -- --profiles LTE,3G,100%-loss --repeat 2 --seed 5 --uplink none --quiet
                command='test $LINKCOND_PROFILE != apple/3G'
                $LINKCOND matrix "$@" --report whole -- sh -c "$command"
                for part in 1 2 3; do
                    CI_NODE_INDEX=$part CI_NODE_TOTAL=3 \
                        $LINKCOND matrix "$@" --report part-$part -- sh -c "$command"
                done
                $LINKCOND matrix merge --report report part-*
                """)
            #expect(result.exitCode == 1, "\(result)")
            let (whole, merged) = (try run.report("whole"), try run.report())
            func timeless(_ report: MatrixReport) -> [String] {
                report.cells.map { cell in
                    "\(cell.id) \(cell.status) \(cell.problem ?? "") \(cell.seed ?? 0) "
                        + "\(cell.exitCode ?? -1) \(cell.reproduce) \(cell.conditions)"
                }
            }
            #expect(timeless(merged) == timeless(whole))
            #expect(merged.specification == whole.specification)
            #expect(merged.failed == 2 && merged.notes.isEmpty)
            for cell in merged.cells { #expect(try run.log(of: cell).isEmpty) }
        }
    }

    @Test func `the command reads nothing, and the plan for an engine runs none`() async throws {
        try await MatrixRun.with { run in
            let result = try await run.result(
                "--profiles", "LTE", "--uplink", "none", "--json", "--quiet", "--", "cat")
            #expect(result.exitCode == 0)
            let report = try MatrixReport(json: result.standardOutput.utf8)
            #expect(report.passed == 2 && report.cells.allSatisfy { $0.log == nil })
            let version = try await run.result("--version").standardOutput
            #expect(report.machine.linkcond.map { "linkcond \($0)\n" } == version)
            let plan = try await run.result(
                "--profiles", "LTE,3G", "--plan", "github", "--", "touch", "it-ran")
            #expect(
                plan.standardOutput
                    == #"{"include":[{"name":"LTE","shard":"1/2"},{"name":"3G","shard":"2/2"}]}"#
                    + "\n")
            #expect(!FileManager.default.fileExists(atPath: run.directory.path + "/it-ran"))
        }
    }
}

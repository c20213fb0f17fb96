import Foundation
import LinkTesting
import Matrix
import Testing

/// Several workers that share the cells of a matrix.
@Suite("Matrix: work queue", .requiresNamespaces, .tags(.anyKernel))
struct MatrixQueueTests {
    /// `worker NAME` works on fifteen cells, with a lease of a second. Those of the worker `hung`
    /// never end, and those of `stopped` end when there is a file `go`.
    private static let worker = """
        worker() {
            WORKER=$1 $LINKCOND matrix --profiles LTE,3G,Edge,dsl --repeat 3 --jobs 1 --quiet \\
                --uplink none --queue report --lease 1s -- sh -c '
                    echo "$LINKCOND_CELL $WORKER" >>ran
                    touch started-$WORKER
                    case $WORKER in
                        hung) sleep 100 ;;
                        stopped) until [ -e go ]; do sleep 0.05; done ;;
                    esac
                    echo "$LINKCOND_CELL"' >table-$1
        }
        begun() { until [ -e started-$1 ]; do sleep 0.05; done; }

        """

    @Test(arguments: Caller.allCases)
    func `the cells of a dead worker run elsewhere, and a stopped one's count once`(
        caller: Caller
    ) async throws {
        try await MatrixRun.with(by: caller) { run in
            let result = try await run.script(
                Self.worker
                    + """
                    worker hung & begun hung; kill -KILL $(pgrep -P $!); wait $!
                    worker stopped & stopped=$!; begun stopped
                    program=$(pgrep -P $stopped); kill -STOP $program
                    worker third & third=$!; begun third
                    worker fourth; echo "fourth $?"
                    touch go; wait $third; echo "third $?"
                    cp -a report before
                    kill -CONT $program; wait $stopped; echo "stopped $?"
                    """)
            #expect(
                result.standardOutput == "fourth 0\nthird 0\nstopped 0\n", "\(result)")
            let report = try run.report()
            let ids = ["baseline", "LTE", "3G", "Edge", "dsl"].flatMap { profile in
                (1...3).map { "\(profile)/\($0)" }
            }
            #expect(report.cells.map(\.id) == ids)
            #expect(report.isFinished && report.isSuccess && report.notes.isEmpty)
            // Each worker that sees the end writes the same.
            #expect(
                try run.text("report.json")
                    == String(
                        contentsOfFile: "\(run.directory.path)/before/report.json", encoding: .utf8)
            )
            for cell in report.cells {
                #expect(String(decoding: try run.log(of: cell), as: UTF8.self) == cell.id + "\n")
                #expect(cell.baselineSeconds != nil)
            }
            let ran = try String(
                contentsOfFile: "\(run.directory.path)/ran", encoding: .utf8
            ).split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            let lost = ran.filter { ["hung", "stopped"].contains($0[1]) }.map { $0[0] }
            // The stopped one goes on with nothing: everything is done.
            #expect(lost.count == 2)
            let others = ran.filter { !["hung", "stopped"].contains($0[1]) }.map { $0[0] }
            #expect(others.sorted() == ids.sorted(), "each once, the baseline too")
            let claims = report.cells.compactMap(\.log?.path).filter { $0.contains(".claim-2") }
            #expect(claims.count == 2)
            try await JSONSchema("report").expectValid(try run.text("report.json"))
        }
    }

    @Test func `a worker that is told to end gives its cells back at once`() async throws {
        try await MatrixRun.with { run in
            let result = try await run.script(
                """
                set -- --profiles LTE,3G --no-baseline --uplink none --quiet --jobs 1 \\
                    --queue report --lease 1h
                $LINKCOND matrix "$@" -- sh -c 'touch started-$WORKER; until [ -e go ]; do sleep 0.05
                    done' >table & first=$!
                until [ -e started- ]; do sleep 0.05; done
                kill -TERM $first; wait $first; echo "code $?"
                ls report
                $LINKCOND matrix merge report >merged; echo "code $?"
                touch go; sleep 1
                $LINKCOND matrix --queue report --quiet >table; echo "code $?"
                """)
            #expect(
                result.standardOutput == """
                    code 143
                    cells
                    claims
                    logs
                    matrix.json
                    workers
                    code 1
                    code 0

                    """, "\(result)")
            let report = try run.report()
            #expect(report.isFinished && report.cells.map(\.status) == [.passed, .passed])
            // From when the matrix began, not from when the second worker did.
            #expect(report.cells.allSatisfy { $0.startedSeconds > 1 })
        }
    }

    @Test func `workers and merges at the same time leave the whole report`() async throws {
        try await MatrixRun.with { run in
            let result = try await run.script(
                """
                set -- --profiles LTE,3G,Edge --repeat 4 --no-baseline --uplink none --quiet \\
                    --queue report
                for worker in 1 2; do
                    $LINKCOND matrix "$@" -- true >table-$worker & workers="$workers $!"
                done
                until ls report/cells/*.json >/dev/null 2>&1; do sleep 0.02; done
                while kill -0 $workers 2>/dev/null; do
                    $LINKCOND matrix merge report --quiet >merged
                done
                wait $workers; echo "code $?"
                """)
            #expect(result.standardOutput == "code 0\n", "\(result)")
            let report = try run.report()
            #expect(report.isFinished && report.passed == 12)
            let page = try run.text("junit.xml")
            #expect(page.contains("failures=\"0\"") && !page.contains("no report has its result"))
        }
    }

    @Test func `the first failure ends all workers if it is to`() async throws {
        try await MatrixRun.with { run in
            let result = try await run.script(
                """
                set -- --profiles LTE,3G,Edge --no-baseline --uplink none --quiet --jobs 1 \\
                    --fail-fast --queue report --lease 1s
                command='touch started-$WORKER; [ $WORKER = good ] && sleep 100; exit 5'
                WORKER=good $LINKCOND matrix "$@" -- sh -c "$command" & good=$!
                until [ -e started-good ]; do sleep 0.05; done
                WORKER=bad $LINKCOND matrix "$@" -- sh -c "$command"; echo "code $?"
                wait $good; echo "code $?"
                """)
            #expect(result.standardOutput.contains("code 1\n"), "\(result)")
            #expect(result.standardOutput.hasSuffix("code 1\n"), "\(result)")
            let report = try run.report()
            #expect(!report.isFinished && report.cells.count { $0.status == .failed } == 1)
        }
    }

    @Test func `a damaged result runs again, and a finished matrix only tells`() async throws {
        try await MatrixRun.with { run in
            let result = try await run.script(
                """
                set -- --profiles LTE,3G --uplink none --quiet --queue report
                $LINKCOND matrix "$@" -- true >table; echo "code $?"
                $LINKCOND matrix "$@" -- true >table; echo "code $?"
                ls report/claims | wc -l
                : >report/cells/LTE.json
                $LINKCOND matrix --queue report >table; echo "code $?"
                ls report/cells | grep claim
                """)
            #expect(
                result.standardOutput == "code 0\ncode 0\n3\ncode 0\nLTE.claim-2.json\n",
                "\(result)")
            #expect(result.standardError.contains("cells/LTE.json: not a file of linkcond"))
            #expect(try run.report().isSuccess)
        }
    }

    @Test func `what does not fit is refused`() async throws {
        try await MatrixRun.with { run in
            let options = ["--profiles", "LTE", "--uplink", "none", "--quiet", "--queue", "report"]
            #expect(try await run.result(options + ["--", "true"]).exitCode == 0)
            let cases: [([String], Int32, String)] = [
                (options + ["--", "false"], 64, "report is of another command: true"),
                (options + ["--seed", "5", "--", "true"], 64, "and 5 in this request"),
                (["--queue", "report", "--shard", "1/2"], 64, "leave out --shard"),
                (["--queue", "report", "--report", "other"], 64, "leave out --report"),
                (["--queue", "report", "--lease", "5ms"], 64, "--lease is not between 1 s and"),
                (["--resume", "report"], 64, "is a work queue; join it with --queue report"),
                (["--queue", "nowhere"], 74, "nowhere: no matrix has begun there; say what"),
                (
                    ["--profiles", "LTE", "--report", "report", "--", "true"], 73,
                    "report is a work queue; join it with --queue, or choose another directory"
                ),
            ]
            for (arguments, code, message) in cases {
                let result = try await run.result(arguments)
                #expect(result.exitCode == code, "\(result)")
                #expect(result.standardError.contains(message), "\(result)")
            }
            let other = MatrixRun(directory: run.directory, caller: .ordinaryUser)
            let denied = try await other.result("--queue", "report")
            #expect(denied.exitCode == 73)
            #expect(denied.standardError.contains("Permission denied"), "\(denied)")
            #expect(try run.report().isSuccess)
            try run.directory.write("{\"format\": 2}", to: "report/matrix.json")
            let newer = try await run.result("--queue", "report")
            #expect(newer.exitCode == 78 && newer.standardError.contains("another version of link"))
        }
    }

    @Test func `on a full disk a worker ends, and others go on when there is room`()
        async throws
    {
        try await MatrixRun.with { run in
            let result = try await run.script(
                """
                mkdir disk
                exec unshare --mount sh -c '
                    mount -t tmpfs -o size=1m none disk
                    $LINKCOND matrix --profiles LTE,3G --jobs 1 --uplink none --quiet \\
                        --queue disk/report -- sh -c "[ -e room ] ||
                            head -c 2M /dev/zero >disk/fill 2>/dev/null; true"
                    echo "code $?"
                    rm disk/fill; touch room
                    $LINKCOND matrix --queue disk/report --quiet; echo "code $?"'
                """)
            let codes = result.standardOutput.split(separator: "\n").filter {
                $0.hasPrefix("code")
            }
            #expect(codes == ["code 73", "code 0"], "\(result)")
            #expect(result.standardError.contains("No space left on device"), "\(result)")
            #expect(result.standardOutput.contains("3 passed, 0 failed"))
        }
    }
}

import Foundation
import LinkTesting
import Matrix
import Testing

/// A matrix that was killed goes on where it stopped.
@Suite("Matrix: resuming", .requiresNamespaces, .tags(.anyKernel))
struct MatrixResumeTests {
    /// Begins a matrix of six cells and kills it when the first two have ended. Each cell writes
    /// its name to `ran`; later ones wait for the file `go`.
    private static let killed = """
        $LINKCOND matrix --profiles LTE,3G,Edge --repeat 2 --no-baseline --jobs 2 --uplink none \
            --quiet --report report -- sh -c 'echo $LINKCOND_CELL >>ran
                case $LINKCOND_CELL in LTE/*) exit;; esac
                until [ -e go ]; do sleep 0.05; done' &
        until [ -e report/cells/LTE-1.json ] && [ -e report/cells/LTE-2.json ] &&
            [ "$(wc -l <ran)" = 4 ]; do sleep 0.05; done
        kill -KILL $!
        wait $!
        touch go

        """

    @Test(arguments: Caller.allCases)
    func `what has a result is not run again`(caller: Caller) async throws {
        try await MatrixRun.with(by: caller) { run in
            let result = try await run.script(
                Self.killed
                    + """
                    head -c 99 report/cells/LTE-2.json >cut
                    cat cut >report/cells/LTE-2.json
                    $LINKCOND matrix merge report --quiet >merged; echo "code $?"
                    $LINKCOND matrix --resume report
                    """)
            #expect(result.exitCode == 0, "\(result)")
            #expect(result.standardOutput.hasPrefix("code 1\n"))
            let report = try run.report()
            #expect(report.isFinished && report.isSuccess)
            let ids = ["LTE/1", "LTE/2", "3G/1", "3G/2", "Edge/1", "Edge/2"]
            #expect(report.cells.map(\.id) == ids)
            #expect(report.cells.map(\.startedSeconds).allSatisfy { $0 >= 0 })
            let ran = try Self.ran(in: run)
            let counts = ids.map { id in ran.count { $0 == id } }
            // The two cells of 3G were running when the matrix was killed.
            #expect(counts == [1, 2, 2, 2, 1, 1])
            #expect(
                report.notes == [
                    "resumed: 1 of 6 cells had run before",
                    "report/cells/LTE-2.json: not a file of linkcond matrix, or not a whole one; "
                        + "its cell ran again",
                ])
            #expect(result.standardError.contains("note: report/cells/LTE-2.json: not a file"))
            try await JSONSchema("report").expectValid(try run.text("report.json"))
            let again = try await run.result("--resume", "report", "--quiet")
            #expect(again.exitCode == 0 && again.standardOutput.contains("6 passed, 0 failed"))
            #expect(try Self.ran(in: run).count == ran.count)
        }
    }

    /// The cells that ran, each as often as it did.
    private static func ran(in run: MatrixRun) throws -> [String] {
        try String(contentsOfFile: "\(run.directory.path)/ran", encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    @Test func `only the same matrix goes on`() async throws {
        try await MatrixRun.with { run in
            let options = [
                "--profiles", "LTE,3G", "--uplink", "none", "--quiet", "--resume", "report",
            ]
            // Nothing is there yet: it begins.
            let first = try await run.result(options + ["--", "true"])
            #expect(first.exitCode == 0, "\(first)")
            #expect(try run.report().cells.count == 3)
            #expect(try await run.result(options + ["--", "true"]).exitCode == 0)
            let cases: [([String], String)] = [
                (options + ["--", "false"], "report is of another command: true; leave the"),
                (
                    options + ["--set", "down.loss=2%", "--", "true"],
                    "network.settings is [] in report and [down.loss=2%] in this request"
                ),
                (["--resume", "report", "--seed", "5"], "and 5 in this request"),
                (["--resume", "report", "--shard", "2/3"], "is the whole; leave --shard out"),
                (["--resume", "report", "--report", "report"], "leave out --report"),
            ]
            for (arguments, message) in cases {
                let result = try await run.result(arguments)
                #expect(result.exitCode == 64, "\(result)")
                #expect(result.standardError.contains(message), "\(result)")
            }
            let nowhere = try await run.result("--resume", "nowhere")
            #expect(nowhere.exitCode == 74)
            #expect(nowhere.standardError.contains("nowhere: no matrix has begun there; say what"))
            #expect(!FileManager.default.fileExists(atPath: "\(run.directory.path)/nowhere"))
            #expect(try run.report().isSuccess, "the report is still there")
        }
    }

    @Test func `a part goes on as that part`() async throws {
        try await MatrixRun.with { run in
            let result = try await run.script(
                """
                $LINKCOND matrix --profiles LTE,3G,Edge --uplink none --quiet --shard 2/3 \
                    --report report -- true
                rm report/report.json report/cells/baseline.json
                CI_NODE_INDEX=1 CI_NODE_TOTAL=3 $LINKCOND matrix --resume report --quiet
                """)
            #expect(result.exitCode == 0, "\(result)")
            let report = try run.report()
            #expect(report.cells.map(\.id) == ["baseline", "3G"] && report.shard?.index == 2)
        }
    }

    @Test func `a matrix that runs, or of another user, is left alone`() async throws {
        try await MatrixRun.with { run in
            let result = try await run.script(
                """
                $LINKCOND matrix --profiles LTE --no-baseline --uplink none --quiet \
                    --report report -- sh -c 'touch started; until [ -e go ]; do sleep 0.05; done' &
                until [ -e started ]; do sleep 0.05; done
                $LINKCOND matrix --resume report; echo "code $?"
                $LINKCOND matrix --profiles LTE --report report -- true; echo "code $?"
                touch go; wait $!; echo "code $?"
                """)
            #expect(result.standardOutput.contains("code 73\ncode 73\n"), "\(result)")
            #expect(result.standardOutput.hasSuffix("code 0\n"), "\(result)")
            #expect(
                result.standardError.contains(
                    "linkcond) is running a matrix there; wait for its end, or choose another"))
            let other = MatrixRun(directory: run.directory, caller: .ordinaryUser)
            let denied = try await other.result("--resume", "report")
            #expect(denied.exitCode == 73)
            #expect(denied.standardError.contains("Permission denied"), "\(denied)")
            #expect(try run.report().isSuccess)
        }
    }

    @Test func `with a full disk the results are told, and run again when there is room`()
        async throws
    {
        try await MatrixRun.with { run in
            let result = try await run.script(
                """
                mkdir disk
                exec unshare --mount sh -c '
                    mount -t tmpfs -o size=1m none disk
                    head -c 2M /dev/zero >disk/fill 2>/dev/null
                    truncate -s -16K disk/fill
                    $LINKCOND matrix --profiles LTE,3G,Edge --jobs 1 --uplink none \
                        --report disk/report -- head -c 9000 /dev/zero
                    echo "code $?"
                    rm disk/fill
                    $LINKCOND matrix --resume disk/report --quiet; echo "code $?"'
                """)
            let codes = result.standardOutput.split(separator: "\n").filter {
                $0.hasPrefix("code")
            }
            #expect(codes == ["code 73", "code 0"], "\(result)")
            #expect(result.standardError.contains("are not kept for --resume: cannot write disk/"))
            #expect(result.standardOutput.contains("4 passed, 0 failed"))
        }
    }
}

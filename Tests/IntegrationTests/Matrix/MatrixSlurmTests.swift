import Foundation
import LinkTesting
import Matrix
import Testing

/// Plans for Slurm, run by a cluster of three nodes (`Scripts/cluster`).
@Suite("Matrix: Slurm", .requiresNamespaces, .tags(.anyKernel), .serialized)
struct MatrixSlurmTests {
    private static let cluster = "\(BuiltProduct.packageDirectory)/Scripts/cluster"

    /// Runs a script within a cluster, with linkcond in its path.
    private static func inCluster(
        _ script: String, _ run: MatrixRun, timeout: Duration = .programLimit
    ) async throws -> ProcessResult {
        try await run.script(
            """
            mkdir bin && ln -s "$LINKCOND" bin/linkcond
            PATH=$PWD/bin:$PATH exec "\(cluster)" -- sh -euc '
            \(script.replacing("'", with: #"'\''"#))'
            """, timeout: timeout)
    }

    /// Has requeued tasks start now: Slurm makes them wait for two minutes.
    private static let finish = """
        finish() {
            until [ -z "$(squeue --noheader)" ]; do
                for task in $(squeue --noheader --array --states=PENDING --format="%i/%r" \\
                    | sed -n "s,/BeginTime$,,p"); do
                    echo "again: $task"
                    scontrol update "JobId=$task" StartTime=now || true
                done
                sleep 0.2
            done
        }

        """

    /// The words of a matrix of three times as many cells as `repetitions`, the last but one of
    /// which fails.
    private static func matrix(_ repetitions: Int) -> String {
        """
        --profiles LTE,3G,Edge --repeat \(repetitions) --no-baseline --seed 5 --uplink none -- \
        sh -c 'echo "$LINKCOND_CELL"; test "$LINKCOND_CELL" != Edge/\(repetitions - 1)'
        """
    }

    /// Ends a node without warning, and tells Slurm, which else would wait for it for a while.
    private static let loseNode = """
        kill -KILL "$(cat "$CLUSTER/n2.pid")"
        scontrol update NodeName=n2 State=DOWN Reason="power failure"
        finish

        """

    /// Checks that the merged report says what one machine says alone.
    private static func expectSame(
        _ report: String, as repetitions: Int, _ run: MatrixRun
    ) async throws {
        let alone = try await run.script(
            "$LINKCOND matrix --jobs 8 --quiet --report alone \(matrix(repetitions))")
        #expect(alone.exitCode == 1, "\(alone)")
        let merged = try run.report(report).cells
        #expect(merged.count == 3 * repetitions)
        #expect(merged.filter(\.isFailure).map(\.id) == ["Edge/\(repetitions - 1)"])
        #expect(try results(merged) == results(run.report("alone").cells))
    }

    @Test func `300 cells of a queue on three nodes, one of which fails, are as on one machine`()
        async throws
    {
        try await MatrixRun.with { run in
            let result = try await Self.inCluster(
                Self.finish + """
                    linkcond matrix --queue queue --lease 3s --jobs 2 --shards 3 --plan slurm \
                        \(Self.matrix(100)) >plan.sh
                    sh plan.sh
                    until [ "$(ls queue/workers 2>/dev/null | wc -l)" -ge 3 ] \\
                        && [ "$(ls queue/cells | wc -l)" -ge 60 ]; do sleep 0.05; done
                    ls queue/cells | wc -l

                    """ + Self.loseNode, run)
            #expect(result.exitCode == 0, "\(result)")
            let lines = result.standardOutput.split(separator: "\n")
            // Slurm numbers a task that begins before the merge is submitted as a job of its own.
            #expect(lines.first?.hasPrefix("tasks 1, merge ") == true, "\(result)")
            // In the middle.
            #expect(lines.count > 1 && (Int(lines[1]) ?? 300) < 300, "\(result)")
            try await Self.expectSame("queue", as: 100, run)
        }
    }

    @Test func `the part of a node that fails runs elsewhere`() async throws {
        try await MatrixRun.with { run in
            let result = try await Self.inCluster(
                Self.finish + """
                    linkcond matrix --jobs 2 --shards 3 --plan slurm \(Self.matrix(30)) >plan.sh
                    sh plan.sh
                    until [ "$(ls linkcond-1/2/logs 2>/dev/null | wc -l)" -ge 5 ]; do sleep 0.05; done

                    """ + Self.loseNode, run)
            #expect(result.exitCode == 0, "\(result)")
            // Which part a node runs is up to Slurm.
            #expect(result.standardOutput.contains("again: 1_"), "\(result)")
            try await Self.expectSame("linkcond-1/report", as: 30, run)
        }
    }

    /// What does not depend on the machine.
    private static func results(_ cells: [CellReport]) -> [String] {
        cells.map { cell in
            "\(cell.id) \(cell.status) \(cell.exitCode ?? -1) \(cell.seed ?? 0) "
                + "\(cell.log?.printedBytes ?? 0) \(cell.problem ?? "") \(cell.reproduce)"
        }
    }

    @Test func `tasks of an array of one's own are parts by their numbers`() async throws {
        try await MatrixRun.with { run in
            let result = try await Self.inCluster(
                Self.finish + """
                    sbatch --array=5-9:2 --wrap "exec linkcond matrix --profiles LTE,3G,Edge \\
                        --no-baseline --uplink none --report part-\\$SLURM_ARRAY_TASK_ID -- true"
                    finish
                    linkcond matrix merge --report report part-*
                    """, run)
            #expect(result.exitCode == 0, "\(result)")
            #expect(try run.report("part-7").cells.map(\.id) == ["3G"])
            #expect(try run.report().cells.map(\.id) == ["LTE", "3G", "Edge"])
        }
    }

    /// As by Ctrl-C, by `kill`, and without any mercy to the script or to the first process inside.
    @Test(arguments: [
        ("kill -INT -$cluster", 130), ("kill -TERM $cluster", 143), ("kill -KILL $cluster", 137),
        ("kill -KILL $first", nil),
    ])
    func `nothing of a cluster is left, however it ends`(end: String, code: Int?) async throws {
        try await MatrixRun.with { run in
            let result = try await run.script(
                """
                env --default-signal=INT setsid "\(Self.cluster)" -- sh -c 'echo ready; exec sleep 1000' >log &
                cluster=$!
                until grep -q ready log; do sleep 0.1; done
                first=$(pgrep --parent "$(pgrep --parent "$cluster")")
                network=$(readlink "/proc/$first/ns/net")
                # Else the next namespace that is made here, by another test, has its number.
                exec 9<"/proc/$first/ns/net"
                processes() {
                    for link in /proc/[0-9]*/ns/net; do readlink "$link"; done 2>/dev/null \\
                        | grep -cF "$network"
                }
                before=$(processes)
                \(end)
                code=0
                wait "$cluster" || code=$?
                tries=300
                while processes >/dev/null && [ "$tries" -gt 0 ]; do sleep 0.1; tries=$((tries - 1)); done
                echo "before $((before > 8)), after $(processes), code $code"
                """)
            // What unshare makes of a killed child depends on its version.
            let expected = "before 1, after 0, code " + (code.map { "\($0)\n" } ?? "")
            #expect(result.standardOutput.hasPrefix(expected), "\(result)")
            #expect(!result.standardOutput.hasSuffix("code 0\n"), "\(result)")
        }
    }

    @Test(arguments: [
        (["--nodes", "0", "--", "true"], "--nodes needs a number from 1 to 64"),
        (["--nodes", "99", "--", "true"], "--nodes needs a number from 1 to 64"),
        (["--processors"], "--processors needs a number from 1 to 64"),
        (["true"], "unknown argument true; the command follows --"),
        (["--"], "there is no command; write it behind --"),
    ])
    func `a wrong word to the cluster is told`(words: [String], message: String) async throws {
        let result = try await runProcess(Self.cluster, words)
        #expect(result.exitCode == 64 && result.standardOutput == "")
        #expect(result.standardError == "cluster: \(message) (try --help)\n")
    }
}

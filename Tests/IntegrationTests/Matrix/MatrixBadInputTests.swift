import Foundation
import LinkTesting
import Matrix
import Testing

/// What a matrix makes of what nobody should ask of it.
@Suite("Matrix: bad input", .requiresNamespaces, .tags(.anyKernel))
struct MatrixBadInputTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var arguments: [String]
        var file: String?
        var exitCode: Int32
        var message: String

        init(
            _ arguments: String..., file: String? = nil, exit exitCode: Int32, _ message: String
        ) {
            self.arguments = arguments
            self.file = file
            self.exitCode = exitCode
            self.message = message
        }

        var testDescription: String {
            arguments.joined(separator: " ") + (file.map { " (\($0))" } ?? "")
        }
    }

    @Test(arguments: [
        Case("--", "true", exit: 64, "there is no profile; name some with --profiles LTE,3G"),
        Case("--profiles", "LTE", exit: 64, "there is no command; write it behind --"),
        Case("--profiles", "LTE,LTEE", "--", "true", exit: 64, "did you mean LTE?"),
        Case("--profiles", ",", "--", "true", exit: 64, "--profiles names none"),
        Case("--family", "aple", "--", "true", exit: 64, "did you mean apple?"),
        Case("--profiles", "LTE", "--repeat", "0", "--", "true", exit: 64, "outside 1 to"),
        Case(
            "--profiles", "LTE", "--repeat", "4294967295", "--", "true", exit: 64,
            "--repeat 4294967295 is outside 1 to 100000"),
        Case(
            "--profiles", "LTE,3G", "--repeat", "50000", "--", "true", exit: 64,
            "more than the 100000 cells that a matrix may have"),
        Case(
            "--", "true", file: "profiles: [LTE]\nrepeat: 31622400", exit: 78,
            "linkcond.yaml:2: repeat: \"31622400\" is not a number from 1 to 100000"),
        Case("--profiles", "LTE", "--jobs", "0", "--", "true", exit: 64, "outside 1 to"),
        Case(
            "--profiles", "LTE", "--retries", "9223372036854775807", "--", "true", exit: 64,
            "outside 0 to 1000"),
        Case(
            "--profiles", "LTE", "--plan", "json", "--shards", "4294967295", "--", "true",
            exit: 64, "outside 1 to 10000"),
        Case("--file", "/dev/zero", "--", "true", exit: 74, "/dev/zero: is not a regular file"),
        Case("--profiles", "LTE", "--timeout", "5", "--", "true", exit: 64, "has no unit"),
        Case(
            "--profiles", "LTE", "--set", "down.loss=200%", "--", "true", exit: 64, "more than 100%"
        ),
        Case(
            "--profiles", "LTE", "--shard", "4/3", "--", "true", exit: 64, "not a part of a whole"),
        Case("--profiles", "LTE", "--uplink", "cable", "--", "true", exit: 64, "cable"),
        Case(
            "--profiles", "LTE", "--repeat", "300", "--plan", "github", "--", "true", exit: 64,
            "more than the 256 that github starts"),
        Case("--rerun-failed", "nowhere", exit: 74, "cannot read nowhere: no report is there"),
        Case("--file", "nowhere.yaml", "--", "true", exit: 74, "nowhere.yaml: no such file"),
        Case("merge", "nowhere", exit: 74, "cannot read nowhere"),
        Case("merge", exit: 64, "Missing expected argument"),
        Case(
            "--", "true", file: "profiles: [LTE, 3GG]", exit: 78,
            "linkcond.yaml:1: profiles: 3GG: no such profile; did you mean 3G?"),
        Case("--", "true", file: "profiles: []", exit: 78, "linkcond.yaml:1: profiles: is empty"),
        Case(
            "--no-baseline", "--", "true",
            file: "profiles: [LTE]\nexpect: { LTE: { duration: at most 2 x baseline } }", exit: 64,
            "LTE is to be compared with the baseline, which is left out"),
        Case(
            "--backend", "kernel", "--", "true",
            file: "profiles: [LTE]\nexpect: { LTE: { requests: none while constrained } }",
            exit: 64, "LTE: only the packet engine counts requests; leave out the backend"),
        Case(
            "--profiles", "LTE", "--cost", "expensive", "--expensive", "--", "true", exit: 64,
            "--expensive and --cost say the same"),
        Case(
            "--profiles", "LTE", "--report", "linkcond.yaml/report", "--", "true",
            file: "repeat: 1",
            exit: 73, "cannot write linkcond.yaml: Not a directory"),
        Case(
            "--profiles", "LTE", "--report", "/proc/report", "--", "true", exit: 73,
            "cannot write /proc/report"),
    ])
    func `says what is wrong and what to do, and runs nothing`(problem: Case) async throws {
        try await MatrixRun.with { run in
            if let file = problem.file { try run.directory.write(file, to: "linkcond.yaml") }
            let result = try await runProcess(
                try SandboxedRun.program(), ["matrix"] + problem.arguments,
                workingDirectory: run.directory.path)
            #expect(result.exitCode == problem.exitCode, "\(result)")
            #expect(result.standardError.hasPrefix("linkcond: "))
            #expect(result.standardError.contains(problem.message), "\(result.standardError)")
            #expect(result.standardOutput == "")
        }
    }

    @Test func `an ordinary user is told where a report cannot be written`() async throws {
        try await MatrixRun.with(by: .ordinaryUser) { run in
            let result = try await run.result(
                "--profiles", "LTE", "--report", "/etc/report", "--", "true")
            #expect(result.exitCode == 73)
            #expect(result.standardError.contains("cannot write /etc/report: Permission denied"))
        }
    }

    @Test func `on a full disk the cells run, and what is not written is said`() async throws {
        try await MatrixRun.with { run in
            let result = try await run.script(
                """
                mkdir disk
                exec unshare --mount sh -c '
                    mount -t tmpfs -o size=256k none disk
                    $LINKCOND matrix --profiles LTE,3G --uplink none --report disk/report -- \\
                        head -c 300000 /dev/zero
                    echo "code $?, left: $(ls -A disk/report)"'
                """)
            // Half a report would be taken for one.
            #expect(
                result.standardOutput.hasSuffix("code 73, left: cells\nlogs\nmatrix.json\n"),
                "\(result)")
            #expect(result.standardOutput.contains("3 passed, 0 failed"))
            #expect(
                result.standardError.contains(
                    "cannot write disk/report/report.json: No space left on device"))
            #expect(result.standardError.contains("logs are not complete: No space left"))
        }
    }

    @Test func `a log for which there is no room ends a matrix with 73`()
        async throws
    {
        try await MatrixRun.with { run in
            let result = try await run.script(
                """
                mkdir disk
                exec unshare --mount sh -c '
                    mount -t tmpfs -o size=4m none disk
                    head -c 4M /dev/zero >disk/fill 2>/dev/null
                    truncate -s -128K disk/fill
                    $LINKCOND matrix --profiles LTE --uplink none --report disk/report -- \\
                        sh -c "head -c 400000 /dev/zero; rm -f disk/fill"
                    echo "code $?, left: $(ls disk/report/report.json)"'
                """)
            #expect(
                result.standardOutput.hasSuffix("code 73, left: disk/report/report.json\n"),
                "\(result)")
            #expect(result.standardOutput.contains("2 passed, 0 failed"))
            #expect(result.standardError.contains("logs are not complete: No space left"))
        }
    }

    @Test func `a gigabyte of output takes neither the disk nor the memory`() async throws {
        try await MatrixRun.with { run in
            let result = try await run.script(
                """
                ulimit -v 2000000
                $LINKCOND matrix --profiles LTE --no-baseline --uplink none --report report -- \
                    sh -c 'echo first; head -c 1000000000 /dev/zero; echo last'
                """)
            #expect(result.exitCode == 0, "\(result)")
            let cell = try run.report().cell("LTE")
            #expect(cell.log?.printedBytes == 1_000_000_011)
            let log = try run.log(of: cell)
            #expect(log.count < 1_100_000)
            #expect(log.prefix(6) == Data("first\n".utf8) && log.suffix(5) == Data("last\n".utf8))
            let note = "[linkcond left out \(cell.log?.omittedBytes ?? 0) bytes here]"
            #expect(log.range(of: Data(note.utf8)) != nil)
        }
    }

    @Test func `a thousand cells are run like three`() async throws {
        try await MatrixRun.with { run in
            let result = try await run.result(
                "--profiles", "LTE,3G,Edge,high-loss,dsl", "--repeat", "200", "--no-baseline",
                "--jobs", "8", "--uplink", "none", "--report", "report", "--quiet", "--", "sh",
                "-c", "test $LINKCOND_CELL != Edge/77", timeout: .seconds(300))
            #expect(result.exitCode == 1)
            let report = try run.report()
            #expect(report.cells.count == 1000)
            #expect(report.cells.filter(\.isFailure).map(\.id) == ["Edge/77"])
            #expect(Set(report.cells.compactMap(\.log?.path)).count == 1000)
        }
    }
}

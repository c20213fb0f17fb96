import Foundation
import LinkTesting
import Matrix
import Testing

/// However a matrix ends, what was done is reported, and nothing stays.
@Suite("Matrix: end", .requiresNamespaces, .tags(.anyKernel))
struct MatrixEndTests {
    /// Starts a matrix of three cells of which two run, and waits until they do what `trap` says
    /// when they are told to end; `$!` is linkcond.
    private static func started(trap: String) -> String {
        """
        processes() { grep -lsz "^LCTEST_MATRIX=$PWD" /proc/[0-9]*/environ; }
        isOver() {
            for round in $(seq 300); do
                processes >/dev/null || return 0
                sleep 0.05
            done
            for path in $(processes); do tr '\\0' ' ' <${path%environ}cmdline; echo; done
            return 1
        }
        LCTEST_MATRIX=$PWD $LINKCOND matrix --profiles LTE,3G --jobs 2 --uplink none \
            --report report -- sh -c 'trap "\(trap)" TERM; touch started-$LINKCOND_CELL;
            while :; do sleep 0.1; done' &
        until [ -e started-baseline ] && [ -e started-LTE ]; do sleep 0.05; done

        """
    }

    @Test(arguments: Caller.allCases)
    func `Ctrl-C lets commands end and reports what was done`(caller: Caller) async throws {
        try await MatrixRun.with(by: caller) { run in
            let script =
                Self.started(trap: "echo ended; exit 3")
                    + """
                    kill -INT $!
                    wait $!
                    echo "code $?"
                    isOver
                    """
            let result = try await run.script(script)
            #expect(result.exitCode == 0, "\(result)")
            #expect(result.standardOutput.contains("code 130"), "\(result)")
            let report = try run.report()
            #expect(!report.isFinished && report.notRun == 3)
            for id in ["baseline", "LTE"] {
                let cell = try report.cell(id)
                #expect(cell.problem == "interrupted")
                #expect(String(decoding: try run.log(of: cell), as: UTF8.self) == "ended\n")
            }
            #expect(try report.cell("3G").log == nil)
        }
    }

    @Test func `below nohup it survives the end of its terminal`() async throws {
        try await MatrixRun.with { run in
            let script = """
                trap '' HUP
                $LINKCOND matrix --profiles LTE --no-baseline --uplink none --report report -- \
                    sh -c 'touch started; sleep 1' &
                until [ -e started ]; do sleep 0.05; done
                kill -HUP $!
                wait $!
                """
            let result = try await run.script(script)
            #expect(result.exitCode == 0, "\(result)")
            #expect(try run.report().cells.map(\.status) == [.passed])
        }
    }

    @Test func `Ctrl-C again does not wait for commands that take no notice`() async throws {
        try await MatrixRun.with { run in
            let script =
                Self.started(trap: "touch told")
                    + """
                    kill -TERM $!
                    # Of two signals that wait for it, a process gets the lower number first.
                    until [ -e told ]; do sleep 0.05; done
                    kill -INT $!
                    wait $!
                    echo "code $?"
                    isOver
                    """
            let result = try await run.script(script)
            #expect(result.exitCode == 0, "\(result)")
            #expect(result.standardOutput.contains("code 143"), "\(result)")
            #expect(try run.report().notRun == 3)
        }
    }

    @Test(arguments: Caller.allCases)
    func `killed, it leaves no process, and no report of before`(caller: Caller) async throws {
        try await MatrixRun.with(by: caller) { run in
            let script =
                """
                $LINKCOND matrix --profiles LTE --uplink none --quiet --report report -- true
                ls report

                """
                + Self.started(trap: "")
                    + """
                    kill -KILL $!
                    wait $!
                    isOver
                    code=$?
                    echo after
                    ls report
                    exit $code
                    """
            let result = try await run.script(script)
            #expect(result.exitCode == 0, "\(result)")
            let listings = result.standardOutput.components(separatedBy: "after\n")
            #expect(listings[0].contains("junit.xml\n") && listings[0].contains("report.html\n"))
            #expect(listings[1] == "cells\nfiles\nlogs\nmatrix.json\n", "\(result)")
        }
    }
}

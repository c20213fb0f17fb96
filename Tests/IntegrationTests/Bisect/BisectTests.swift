import Foundation
import LinkTesting
import Testing

/// `linkcond bisect` with curl, whose limit is known.
@Suite("Bisect", .requiresNamespaces, .tags(.anyKernel))
struct BisectTests {
    /// What `--json` prints, as far as tests ask.
    private struct Search: Decodable {
        struct Interval: Decodable {
            let good: Value
            let bad: Value
        }

        struct Value: Decodable {
            let text: String
            /// In nanoseconds.
            let number: Double
        }

        let outcome: String
        let interval: Interval?
        let earlyEnd: String?
        let discardedRuns: Int
    }

    /// curl gives up after 0.8 s, and needs two round trips, of two delays each: it fails above
    /// 200 ms, less what it takes itself.
    private static let arguments = [
        "bisect", "baseline", "--vary", "delay", "--from", "10ms", "--to", "1s", "--precision",
        "20%", "--json", "--seed", "7", "--jobs", "2", "--uplink", "none", "--server",
        "exec python3 -m http.server --bind :: 8000", "--server-ready", "8000",
    ]
    private static let command = [
        "--", "curl", "-4", "-sS", "-o", "/dev/null", "--max-time", "0.8",
        "http://server.linkcond:8000/",
    ]

    private func search(
        _ options: [String] = [], by caller: Caller = .ordinaryUser
    ) async throws -> ProcessResult {
        try await runProcess(
            try SandboxedRun.program(), Self.arguments + options + Self.command,
            workingDirectory: "/", userID: caller.userID, timeout: .seconds(240))
    }

    private func expectKnownLimit(_ result: ProcessResult) async throws {
        #expect(result.exitCode == 0, "\(result)")
        try await JSONSchema("bisect").expectValid(result.standardOutput)
        let search = try JSONDecoder().decode(Search.self, from: Data(result.standardOutput.utf8))
        #expect(search.outcome == "found")
        let interval = try #require(search.interval, "\(result)")
        #expect(interval.good.number < 200e6, "\(result.standardOutput)")
        #expect(interval.bad.number > 140e6, "\(result.standardOutput)")
        #expect(interval.bad.number < 300e6, "\(result.standardOutput)")
    }

    @Test(.tags(.paced), arguments: Caller.allCases)
    func `finds the delay that curl's own time limit bears`(caller: Caller) async throws {
        try await expectKnownLimit(try await search(by: caller))
    }

    private func found(_ arguments: [String], exitCode: Int32 = 0) async throws -> Search {
        let result = try await runProcess(
            try SandboxedRun.program(), ["bisect"] + arguments, workingDirectory: "/",
            timeout: .seconds(240))
        #expect(result.exitCode == exitCode, "\(result)")
        try await JSONSchema("bisect").expectValid(result.standardOutput)
        return try JSONDecoder().decode(Search.self, from: Data(result.standardOutput.utf8))
    }

    /// Asks a server for something twice, the second time after 1.2 s.
    private static let server = [
        "--precision", "25%", "--json", "--seed", "3", "--jobs", "2", "--uplink", "none",
        "--server", "exec python3 -m http.server --bind :: 8000", "--server-ready", "8000",
    ]

    @Test(.tags(.paced)) func `an outage is survived for as long as curl waits`() async throws {
        try await withTemporaryDirectory { directory in
            let page = directory.path + "/page.html"
            // It begins before curl, which gives up 1.5 s after its start.
            let search = try await found(
                [
                    "baseline", "--vary", "outage", "--from", "200ms", "--to", "6s",
                    "--outage-at", "0s", "--html", page,
                ] + Self.server + [
                    "--", "curl", "-4", "-sS", "-o", "/dev/null", "--max-time", "1.5",
                    "http://server.linkcond:8000/",
                ])
            #expect(search.outcome == "found")
            let interval = try #require(search.interval)
            // SYNs are sent at 0, 1 and 3 s.
            #expect(interval.good.number >= 500e6 && interval.good.number < 1.5e9, "\(search)")
            #expect(interval.bad.number > 900e6 && interval.bad.number < 2e9, "\(search)")
            let text = try String(contentsOfFile: page, encoding: .utf8)
            #expect(text.contains("<title>baseline: curl -4") && text.contains("class=\"t-half\""))
        }
    }

    @Test(.tags(.paced)) func `the time of an event is found`() async throws {
        try await withTemporaryDirectory { directory in
            let scenario = try directory.write(
                """
                name: late
                interfaces: { eth0: { profile: baseline } }
                timeline:
                  - { at: 1 s, interface: eth0, set: { blackhole: true } }
                """, to: "late.yaml")
            // The request comes after 1.2 s, and is not answered if the link is gone by then.
            let search = try await found(
                [
                    "--scenario", scenario, "--vary", "scenario:1.at", "--from", "300ms", "--to",
                    "4s",
                ]
                    + Self.server + [
                        "--", "sh", "-c",
                        "sleep 1.2; exec curl -4 -sS -o /dev/null --max-time 1 http://server.linkcond:8000/",
                    ])
            let interval = try #require(search.interval, "\(search)")
            #expect(interval.bad.number < 1.5e9 && interval.bad.number > 0.8e9, "\(search)")
            #expect(interval.good.number > 1.1e9 && interval.good.number < 2e9, "\(search)")
        }
    }

    @Test(.tags(.paced)) func `a number that the command prints is the measure`() async throws {
        // Two round trips of two delays each.
        let search = try await found(
            [
                "baseline", "--vary", "delay", "--from", "10ms", "--to", "1s", "--measure",
                "took ([0-9.]+) s", "--limit", "at most 0.8",
            ] + Self.server + [
                "--", "curl", "-4", "-sS", "-o", "/dev/null", "-w",
                #"took 99 s\ntook %{time_total} s\n"#, "http://server.linkcond:8000/",
            ])
        let interval = try #require(search.interval, "\(search)")
        #expect(interval.good.number < 200e6 && interval.good.number > 100e6, "\(search)")
        #expect(interval.bad.number > 140e6 && interval.bad.number < 300e6, "\(search)")
    }

    @Test func `a measure that never matches is told, not a limit`() async throws {
        let result = try await runProcess(
            try SandboxedRun.program(),
            [
                "bisect", "baseline", "--vary", "delay", "--from", "1ms", "--to", "9ms",
                "--uplink", "none", "--measure", "took ([0-9]+) s", "--limit", "3", "--", "echo",
                "it took long",
            ], workingDirectory: "/", userID: Caller.ordinaryUserID, timeout: .seconds(60))
        #expect(result.exitCode == 1, "\(result)")
        #expect(result.standardOutput.hasPrefix("No run printed a number"), "\(result)")
    }

    @Test(.enabled(if: SelfMadeShortage.isPossible, "there is no spare processor"))
    func `a machine that is busy for a while is outlasted`() async throws {
        try await withTemporaryDirectory { directory in
            let command = """
                echo >> \(directory.path)/runs
                (($(wc -l < \(directory.path)/runs) > 4)) && exit
                \(SelfMadeShortage.script(seconds: 1))
                """
            let search = try await found(
                [
                    "baseline", "--vary", "delay", "--from", "1ms", "--to", "9ms", "--uplink",
                    "none", "--jobs", "1", "--json", "--", "bash", "-c", command,
                ], exitCode: 1)
            #expect(search.outcome == "passes-at-both-ends", "\(search)")
            #expect(search.earlyEnd == nil && search.discardedRuns >= 4, "\(search)")
        }
    }

    @Test(.tags(.paced)) func `goes on after a kill with the runs that it has`() async throws {
        try await withTemporaryDirectory { directory in
            try shell("chmod 777 \(directory.path)")
            let kept = directory.path + "/search"
            let killed = try await runProcess(
                "bash",
                [
                    "-c",
                    #"""
                    kept=$1; shift
                    "$@" > /dev/null 2>&1 & search=$!
                    until (($(ls "$kept/trials" 2> /dev/null | wc -l) >= 4)); do
                        kill -0 $search || exit 1
                        sleep 0.05
                    done
                    kill -KILL $search
                    wait $search
                    ls -l --time-style=full-iso "$kept/trials"
                    """#, "bash", kept, try SandboxedRun.program(),
                ] + Self.arguments + ["--resume", kept] + Self.command,
                workingDirectory: "/", userID: Caller.ordinaryUserID, timeout: .seconds(120))
            let before = killed.standardOutput.split(separator: "\n").dropFirst()
            #expect(before.count >= 4, "\(killed)")
            try await expectKnownLimit(try await search(["--resume", kept]))
            let listed = try await runProcess(
                "ls", ["-l", "--time-style=full-iso", kept + "/trials"])
            let after = Set(listed.standardOutput.split(separator: "\n"))
            for trial in before { #expect(after.contains(trial), "it ran again: \(trial)") }
        }
    }
}

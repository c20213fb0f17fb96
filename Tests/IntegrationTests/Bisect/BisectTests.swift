import Foundation
import LinkTesting
import Testing

/// `linkcond bisect` with curl, whose limit is known.
@Suite("Bisect", .serialized, .requiresNamespaces, .tags(.anyKernel))
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

    @Test(arguments: Caller.allCases)
    func `finds the delay that curl's own time limit bears`(caller: Caller) async throws {
        try await expectKnownLimit(try await search(by: caller))
    }

    @Test func `goes on after a kill with the runs that it has`() async throws {
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

import Foundation
import KernelPlane
import LinkTesting
import Testing

/// Conditions that end by themselves, and the watchers that see to it.
@Suite("Time limits", .serialized, .requiresKernel(.netem))
struct TimeLimitTests {
    @Test("Conditions end by themselves, however the caller ends, and with a process")
    func ends() async throws {
        try await TestNetwork.with { network in
            let before = try await network.state()
            let killedShell = try await network.run(
                "sh", ["-c", "\"$0\" apply LTE --for 1s && kill -9 $$", TestNetwork.program()])
            #expect(killedShell.signal == 9)
            try await network.expectCleared()

            let script = """
                sleep 300 & "$0" apply LTE --until-exit-of $! && "$0" status --json; kill $!
                """
            let result = try await network.run("sh", ["-c", script, TestNetwork.program()])
            let status = try JSONDecoder().decode(
                Status.self, from: Data(result.standardOutput.utf8))
            #expect(status.conditioned.first?.untilExitOf != nil)
            #expect(status.conditioned.first?.defect == nil)
            try await network.expectCleared()

            for moment in ["0.01", "0.05", "0.2"] {
                let script = """
                    "$0" apply LTE --for 1s & sleep \(moment); kill -9 $! || true; wait $! || true
                    """
                _ = try await network.run("sh", ["-c", script, TestNetwork.program()])
                try await network.expectCleared()
            }
            try await network.expectUnchanged(since: before)
        }
    }

    @Test("Status shows the limit, replacing moves it, and a killed watcher is noticed")
    func watchers() async throws {
        try await TestNetwork.with { network in
            let before = try await network.state()
            try await network.mustRun("apply", "LTE", "--for", "30 min")
            let first = try #require(try await network.status().conditioned.first)
            let watcher = try await network.watcher()
            #expect(try await network.isAlive(watcher))
            #expect(first.defect == nil && first.untilExitOf == nil)
            let pids = try await runProcess("ip", ["netns", "pids", network.app])
            #expect(pids.standardOutput == "", "a watcher keeps no namespace alive")

            try await network.mustRun("apply", "3G", "--replace", "--for", "1 h")
            try await network.expectGone(watcher)
            let second = try #require(try await network.status().conditioned.first)
            #expect(second.profile == "apple/3G" && second.defect == nil)
            let moments = try [first, second].map {
                try Date.ISO8601FormatStyle().parse(#require($0.until))
            }
            #expect(moments[1] > moments[0].addingTimeInterval(1700))

            let later = try await network.watcher()
            _ = try await runProcess("pkill", ["-9", "-f", "linkcond watch \(later) "])
            try await network.expectGone(later)
            let problem = try await network.status().conditioned.first?.problem
            #expect(problem?.contains("until linkcond clear") == true)

            try await network.mustRun("apply", "3G", "--replace", "--for", "1 h")
            let last = try await network.watcher()
            try await network.mustRun("clear")
            try await network.expectGone(last)
            try await network.expectUnchanged(since: before)
        }
    }
}

extension TestNetwork {
    /// The name in the mark of what is conditioned.
    fileprivate func watcher() async throws -> String {
        let links = try await run("ip", ["-d", "link", "show", "group", "7181"]).standardOutput
        guard let name = links.firstMatch(of: /watch=([0-9a-z]+)/)?.output.1 else {
            throw Failure("no mark names a watcher: \(links)")
        }
        return String(name)
    }

    fileprivate func isAlive(_ watcher: String) async throws -> Bool {
        try await runProcess("pgrep", ["-f", "linkcond watch \(watcher) "]).exitCode == 0
    }

    /// Waits until a watcher has ended.
    fileprivate func expectGone(_ watcher: String) async throws {
        for _ in 0..<100 {
            guard try await isAlive(watcher) else { return }
            try await Task.sleep(for: .milliseconds(300))
        }
        Issue.record("the watcher did not end")
    }

    /// Waits until nothing is conditioned.
    fileprivate func expectCleared(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let list = ["-n", app, "link", "show", "group", "7181"]
        for _ in 0..<100 {
            if try await runProcess("ip", list).standardOutput.isEmpty { return }
            try await Task.sleep(for: .milliseconds(300))
        }
        Issue.record("the conditions did not end", sourceLocation: sourceLocation)
    }
}

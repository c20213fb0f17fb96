import Foundation
import LinkTesting
import Testing

/// `linkcond run --scenario` with a scenario and a program of the test's own.
struct ScenarioRun {
    let directory: TemporaryDirectory
    let result: ProcessResult
    /// What `--stats` says was done.
    let events: [Event]
    /// How many bytes came down each interface, if there are several.
    let received: [String: Int]

    struct Event: Decodable {
        let seconds: Double
        let text: String
        let kind: String
        let interface: String?
        let latenessMilliseconds: Double
        let isFailure: Bool
    }

    private struct Statistics: Decodable {
        let scenario: String?
        let events: [Event]
        let interfaces: [Interface]?

        struct Interface: Decodable {
            let name: String
            let down: Way
        }

        struct Way: Decodable { let counters: Counters }
        struct Counters: Decodable { let bytes: Int }
    }

    /// Plays `timeline` to `script`, a script of bash, and hands `body` what came of it.
    ///
    /// - Parameter directory: is `$D` to the script and to commands of the scenario.
    static func with(
        interfaces: String = "{ eth0: { profile: LTE } }", timeline: String, script: String,
        options: [String] = [], by caller: Caller = .root,
        _ body: (ScenarioRun) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try shell("chmod 777 \(directory.path)")
            let file = try directory.write(
                "name: A test\ninterfaces: \(interfaces)\ntimeline:\n\(timeline)\n",
                to: "test.yaml")
            let program = try directory.write(script, to: "app")
            let stats = directory.path + "/stats.json"
            let arguments = ["--scenario", file, "--backend", "engine", "--uplink", "none"]
            let run = SandboxedRun(
                arguments: arguments + ["--no-dbus", "-v", "--stats", stats] + options
                    + ["--", "bash", program],
                by: caller)
            let result = try await run.result(
                environment: ["D": directory.path, "LINKCOND": try SandboxedRun.program()])
            let text = try String(contentsOfFile: stats, encoding: .utf8)
            try await JSONSchema("statistics").expectValid(text)
            let statistics = try JSONDecoder().decode(Statistics.self, from: Data(text.utf8))
            #expect(statistics.scenario == "A test")
            try await body(
                ScenarioRun(
                    directory: directory, result: result, events: statistics.events,
                    received: Dictionary(
                        uniqueKeysWithValues: (statistics.interfaces ?? []).map {
                            ($0.name, $0.down.counters.bytes)
                        })))
        }
    }

    /// Checks that nothing is missing of what a program should have seen of a scenario.
    ///
    /// Steps that come one after the other while a busy machine does not let the program run look
    /// like one to it; so there the scenario is played again, slower.
    ///
    /// - Parameter missingSteps: plays it so many times slower, and returns what was not seen.
    static func expectAllSteps(
        _ missingSteps: (_ pace: Double) async throws -> [String]
    ) async throws {
        var missing: [String] = []
        for pace in [1.0, 2, 4] {
            missing = try await missingSteps(pace)
            if missing.isEmpty { break }
        }
        #expect(missing.isEmpty, "\(missing)")
    }

    /// What of `wanted` was not seen in this order; between two steps there may be others, as
    /// addresses go one after the other.
    static func steps(_ wanted: [String], missingIn seen: [String]) -> [String] {
        var left = wanted[...]
        for text in seen where text == left.first { left = left.dropFirst() }
        return Array(left)
    }

    /// The interface in use and what it is, of each line of `linkcond path --json --watch`.
    static func paths(of text: String) throws -> [String] {
        try text.split(separator: "\n").map {
            let path = try Path(json: String($0))
            let name = path.interfaces.first { $0.isUsed }?.name ?? "none"
            return "\(name) \(path.isExpensive) \(path.isConstrained)"
        }
    }

    /// A file that the app or the scenario has written.
    func text(of name: String) throws -> String {
        try String(contentsOfFile: "\(directory.path)/\(name)", encoding: .utf8)
    }

    /// What to print if a test fails.
    var said: Comment { "\(result.standardOutput) \(result.standardError)" }
}

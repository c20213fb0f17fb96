import Foundation
import LinkTesting
import Testing

/// `--counterfactual` with curl: what is predicted is measured.
@Suite("Explain: run again", .serialized, .requiresNamespaces, .tags(.anyKernel))
struct CounterfactualTests {
    private struct Explanation: Decodable {
        struct Run: Decodable {
            let without: String?
            let predictedSeconds: Double
            let measuredSeconds: Double?
            let problem: String?
        }

        let durationSeconds: Double
        let noiseSeconds: Double?
        let counterfactuals: [Run]

        func run(without component: String?) throws -> Run {
            try #require(counterfactuals.first { $0.without == component }, "\(self)")
        }
    }

    private func explain(
        _ options: [String], _ command: [String], exitCode: Int32 = 0, input: String = ""
    ) async throws -> (explanation: Explanation, result: ProcessResult) {
        try await withTemporaryDirectory { directory in
            try shell("chmod 777 \(directory.path)")
            let report = directory.path + "/report.json"
            try shell("head -c 300000 /dev/zero > \(directory.path)/big")
            let result = try await SandboxedRun(
                arguments: ["Baseline", "--backend", "engine", "--uplink", "none"] + options + [
                    "--server",
                    "exec python3 -m http.server --bind :: --directory \(directory.path) 8000",
                    "--server-ready", "8000", "--explain", report, "--counterfactual", "--",
                ] + command, by: .ordinaryUser
            ).result(input: input)
            #expect(result.exitCode == exitCode, "\(result)")
            let text = try String(contentsOfFile: report, encoding: .utf8)
            try await JSONSchema("explanation").expectValid(text)
            return (try JSONDecoder().decode(Explanation.self, from: Data(text.utf8)), result)
        }
    }

    private static func fetch(_ count: Int) -> [String] {
        ["curl", "-4", "-sS", "-o", "/dev/null"]
            + (1...count).map { "http://server.linkcond:8000/?\($0)" }
    }

    /// Nothing but lower bounds and large ratios: what a machine does besides makes runs longer. A
    /// time that linkcond itself does not trust is not compared.
    private func expect(
        _ found: Explanation, without component: String, isAtLeast least: Double
    ) throws {
        let run = try found.run(without: component)
        let again = try found.run(without: nil)
        // It is from the first run or from the second.
        let basis = max(found.durationSeconds, again.measuredSeconds ?? 0)
        #expect(run.predictedSeconds >= least, "\(found)")
        #expect(run.predictedSeconds < basis / 2, "\(found)")
        for run in [run, again] where run.measuredSeconds == nil {
            #expect(run.problem?.contains("the machine was too busy for each") == true, "\(run)")
        }
        guard let measured = run.measuredSeconds, let whole = again.measuredSeconds else { return }
        #expect(measured >= least, "\(found)")
        #expect(measured < whole / 2, "\(found)")
    }

    @Test func `without delay a run of requests takes what is left`() async throws {
        let (found, _) = try await explain(
            ["--set", "down.delay=200ms", "--set", "up.delay=200ms"], Self.fetch(5))
        // Two round trips for each of the connections; starting curl is what is left.
        #expect(found.durationSeconds > 4)
        try expect(found, without: "delay", isAtLeast: 0)
        if let again = try found.run(without: nil).measuredSeconds {
            #expect(again > 4)
            #expect(
                abs(abs(again - found.durationSeconds) - (found.noiseSeconds ?? 0)) < 0.001,
                "\(found)")
        }
        #expect(!found.counterfactuals.contains { $0.without == "loss" })
    }

    @Test func `without the bandwidth limit slow start is left`() async throws {
        let (found, _) = try await explain(
            [
                "--set", "down.bandwidth=500kbit/s", "--set", "down.delay=50ms", "--set",
                "up.delay=50ms",
            ], Self.fetch(1).dropLast() + ["http://server.linkcond:8000/big"])
        // The handshake, the first bytes, and rounds of 10, 20, 40 and 80 packets before the last.
        try expect(found, without: "bandwidth", isAtLeast: 0.55)
    }

    @Test func `the first run is the one that reads, prints and ends`() async throws {
        let (found, result) = try await explain(
            [], ["sh", "-c", "cat; exit 3"], exitCode: 3, input: "once\n")
        #expect(result.standardOutput == "once\n")
        #expect(try found.run(without: nil).problem == nil)
        #expect(found.counterfactuals.count == 1)
    }

    @Test func `a command that fails the second time says so`() async throws {
        let (found, _) = try await explain(
            [], ["sh", "-c", "read line"], input: "line\n")
        #expect(try found.run(without: nil).problem == "ended with 1 instead of 0")
        #expect(try found.run(without: nil).measuredSeconds == nil)
    }

    @Test(
        arguments: [
            (["LTE", "--counterfactual"], "add --explain FILE"),
            (
                ["--scenario", "elevator", "--explain", "/dev/null/x", "--counterfactual"],
                "scenario"
            ),
            (
                ["LTE", "--explain", "/dev/null/x", "--publish", "8080:80", "--counterfactual"],
                "--publish"
            ),
        ])
    func `what cannot be run again is refused`(arguments: [String], problem: String) async throws {
        let result = try await SandboxedRun(arguments: arguments + ["--", "true"]).result()
        #expect(result.exitCode == 64, "\(result)")
        #expect(result.standardError.contains(problem), "\(result)")
    }
}

import Foundation
import LinkTesting
import Testing

/// `linkcond verify` as a user types it.
@Suite("Verify", .serialized, .requiresNamespaces, .tags(.measure, .lone))
struct VerifyTests {
    @Test(arguments: ["engine", "kernel"], Caller.allCases)
    func `a link does what its profile says`(backend: String, caller: Caller) async throws {
        guard try Backends.serves(backend) else { return }
        let stolen = try StolenTime.ticks()
        let result = try await verify("3G", "--quick", "--json", "--backend", backend, by: caller)
        #expect(result.exitCode == 0, "\(result.standardOutput) \(result.standardError)")
        try await JSONSchema("verify").expectValid(result.standardOutput)
        let report = try JSONDecoder().decode(Report.self, from: Data(result.standardOutput.utf8))
        let found = try #require(report.results.first)
        #expect(report.results.count == 1)
        #expect(found.profile == "apple/3G")
        #expect(found.backend == backend)
        #expect(found.pass)
        // A host that others share may have no time for a check, which then says so. The kernel lab,
        // with its one processor, is not told of it.
        let excused = found.checks.filter { $0.detail == "this machine was too busy" }
        let mayLackTime =
            try ProcessInfo.processInfo.activeProcessorCount == 1 || StolenTime.ticks() > stolen
        let mostExcused = mayLackTime ? 2 : 0
        #expect(excused.count <= mostExcused, "\(result.standardOutput)")
        let judged = Set(
            (found.checks.filter { $0.pass == true } + excused).map {
                "\($0.direction) \($0.quantity)"
            })
        for direction in ["up", "down"] {
            for quantity in ["delay", "jitter", "loss", "bandwidth", "queue"] {
                #expect(judged.contains("\(direction) \(quantity)"), "\(result.standardOutput)")
            }
        }
    }

    @Test(.tags(.paced, .anyKernel))
    func `several at a time are printed in their order`() async throws {
        let result = try await verify(
            "high-loss", "Edge", "--quick", "--jobs", "2", "--backend", "engine", "--set",
            "dns.delay=100ms", "--seed", "7")
        #expect(result.exitCode == 0, "\(result.standardOutput) \(result.standardError)")
        let lines = result.standardOutput.split(separator: "\n")
        let profiles = lines.dropFirst().dropLast().compactMap { $0.split(separator: " ").first }
        let first = try #require(profiles.first)
        #expect(profiles.drop { $0 == first }.allSatisfy { $0 == "apple/Edge" })
        #expect(lines.contains { $0.contains(" dns (TCP)") && $0.hasSuffix(" ok") }, "\(lines)")
        #expect(lines.last?.contains("checks within tolerance") == true)
        #expect(lines.last?.hasSuffix("(engine).") == true)
    }

    /// A token bucket of somebody else's on the app's own interface takes what the link would pass.
    @Test func `a link that is not what its profile says ends with 1`() async throws {
        try await withTemporaryDirectory { directory in
            let result = try await VerifyEndTests.script(
                """
                "$PROGRAM" verify 3G --quick --backend engine >"$TMPDIR/output" 2>&1 & pid=$!
                probe=$(wait_for_probe)
                nsenter -t $probe -n tc qdisc add dev eth0 root tbf rate 64kbit burst 1600 limit 3000
                wait $pid
                echo "exit $?"
                cat "$TMPDIR/output"
                """, in: directory)
            let output = result.standardOutput
            #expect(output.hasPrefix("exit 1\n"), "\(output) \(result.standardError)")
            #expect(output.contains(/up +loss .* FAILED/), "\(output)")
            #expect(output.contains(/apple.3G: [0-9]+ of [0-9]+ checks outside tolerance/))
        }
    }

    // MARK: Helpers

    private struct Report: Decodable {
        struct Result: Decodable {
            let profile: String
            let backend: String
            let pass: Bool
            let checks: [Check]
        }

        struct Check: Decodable {
            let direction: String
            let quantity: String
            let pass: Bool?
            let detail: String?
        }

        let results: [Result]
    }

    private func verify(
        _ arguments: String..., by caller: Caller = .root
    ) async throws -> ProcessResult {
        // In the lab the files of all users in /tmp are root's, since they are the host's.
        let environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": "/dev/shm"]) { $1 }
        return try await runProcess(
            try SandboxedRun.program(), ["verify"] + arguments, environment: environment,
            workingDirectory: "/", userID: caller.userID, timeout: .seconds(180))
    }
}

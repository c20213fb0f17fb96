import Foundation
import LinkTesting
import Testing

/// Limits of memory, of which a link with a long queue would take more.
@Suite("Too little memory", .requiresNamespaces, .tags(.anyKernel))
struct MemoryShortageTests {
    private static let memory = LimitedGroup.Limit.memory(bytes: 64 << 20)
    /// The far side's address.
    private static let far = "198.18.0.1"
    private static let flood =
        BuiltProduct.packageDirectory + "/Tests/IntegrationTests/Fixtures/flood.py"
    /// A second of it is 125 MB.
    private static let profile = """
        name: long
        summary: A link with more on its way than there is memory
        down: { bandwidth: 1 Gbit/s, delay: 1.5 s }
        up: { bandwidth: 1 Gbit/s, delay: 1.5 s, queue: 1000000 packets }
        """

    private static func run(
        _ words: [String], _ run: [String], as caller: Caller
    ) async throws -> ProcessResult {
        let user = caller.userID.map { ["setpriv", "--reuid", "\($0)", "--clear-groups"] } ?? []
        let words = words + user + [try SandboxedRun.program(), "run", "--backend", "engine"] + run
        return try await runProcess(words[0], Array(words.dropFirst()))
    }

    @Test(.requires(memory), arguments: Caller.allCases)
    func `a limit of a control group holds, and what did not fit is told`(
        by caller: Caller
    ) async throws {
        try await RecordingFiles.with { files in
            let profile = try files.directory.write(Self.profile, to: "long.yaml")
            let result = try await LimitedGroup.with(Self.memory) { group in
                try await Self.run(
                    group.words,
                    [
                        profile, "--uplink", "none", "--stats", files.stats, "--", "python3",
                        Self.flood, Self.far, "1",
                    ], as: caller)
            }
            #expect(result.exitCode == 0, "\(result)")
            #expect(result.standardError.contains("for lack of memory"), "\(result)")
            let statistics = try await files.statistics()
            #expect(statistics.faithful == false)
            let up = statistics.up.counters
            #expect(up.packets > 0, "\(up)")
        }
    }

    @Test(.requires(memory))
    func `an applied link keeps to it, too`() async throws {
        try await TestNetwork.with { network in
            try await RecordingFiles.with { files in
                let profile = try files.directory.write(Self.profile, to: "long.yaml")
                let status = try await LimitedGroup.with(Self.memory) { group in
                    // `ip netns exec` would hide the control groups.
                    let words =
                        group.words + [
                            "nsenter", "--net=/run/netns/\(network.app)", try TestNetwork.program(),
                            "apply", profile, "-i", TestNetwork.interface, "--backend", "engine",
                        ]
                    let applied = try await runProcess(words[0], Array(words.dropFirst()))
                    try #require(applied.exitCode == 0, "\(applied)")
                    _ = try await network.run(
                        "python3", [Self.flood, TestNetwork.serverIPv4, "1"])
                    let status = try await network.linkcond("status", "--json")
                    try await network.mustRun("clear", "-i", TestNetwork.interface)
                    return status
                }
                #expect(status.standardOutput.contains("for lack of memory"), "\(status)")
            }
        }
    }

    @Test(arguments: Caller.allCases)
    func `half a gigabyte of addresses is enough`(for caller: Caller) async throws {
        let result = try await Self.run(
            ["prlimit", "--as=500000000"],
            ["LTE", "--uplink", "none", "--", "ping", "-c", "2", "-i", "0.2", "-q", Self.far],
            as: caller)
        #expect(result.exitCode == 0, "\(result)")
        #expect(result.standardOutput.contains("2 received"), "\(result)")
    }

    @Test(arguments: Caller.allCases)
    func `too few addresses are told, with the remedy`(to caller: Caller) async throws {
        let result = try await Self.run(
            ["prlimit", "--as=32000000"], ["LTE", "--", "echo", "begun"], as: caller)
        #expect(result.exitCode == 125 && result.standardOutput == "", "\(result)")
        #expect(result.standardError.contains("ulimit -v"), "\(result)")
    }
}

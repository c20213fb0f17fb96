import Foundation
import LinkTesting
import Testing

/// A program nft that is there and does not work.
@Suite("An nft that hangs or fails", .requiresEngineHooks, .tags(.anyKernel))
struct BrokenPacketFilterTests {
    /// Runs linkcond where it finds a script as nft.
    private static func linkcond(
        _ network: TestNetwork, finding nft: String, _ arguments: String...
    ) async throws -> ProcessResult {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("#!/bin/sh\n\(nft)\n", to: "nft")
            let script = "chmod +x \"$1\"; PATH=\"$2:$PATH\"; shift 2; exec \"$0\" \"$@\""
            let words = [try TestNetwork.program(), file, directory.path] + arguments
            return try await network.run("sh", ["-c", script] + words, timeout: .seconds(120))
        }
    }

    @Test(.requiresEngineFilters, arguments: ["exec sleep 300", "kill -STOP $$", "exit 3"])
    func `apply does without it`(nft: String) async throws {
        try await TestNetwork.withEngine { network in
            let result = try await Self.linkcond(
                network, finding: nft, "apply", "LTE", "--backend", "engine")
            #expect(result.exitCode == 0, "\(result)")
            #expect(try await network.filters().contains("pref 61181 bpf"))
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) >= 114.9)
        }
    }

    @Test(arguments: [("exec sleep 300", "did not end within"), ("exit 3", "ended with 3")])
    func `run says what is the matter`(_ broken: (nft: String, said: String)) async throws {
        try await TestNetwork.with { network in
            let result = try await Self.linkcond(
                network, finding: broken.nft, "run", "LTE", "--", "true")
            #expect(result.exitCode == 125, "\(result)")
            #expect(result.standardError.contains("nft failed: it \(broken.said)"), "\(result)")
        }
    }
}

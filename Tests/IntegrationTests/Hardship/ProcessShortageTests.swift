import Foundation
import LinkTesting
import Testing

/// A limit of processes and threads that leaves too few for what is asked for.
@Suite(
    "Too few processes", .requiresNamespaces, .requires(.processes(4)), .tags(.anyKernel))
struct ProcessShortageTests {
    private static let hint = "allow more with ulimit -u, or in pids.max of the control group"

    /// One of these is whoever calls.
    @Test(arguments: [1, 2, 3, 5], Caller.allCases)
    func `a run says so, and begins nothing`(count: Int, caller: Caller) async throws {
        let user = caller.userID.map { ["setpriv", "--reuid", "\($0)", "--clear-groups"] } ?? []
        let result = try await LimitedGroup.with(.processes(count)) { group in
            let words =
                group.words + user + [
                    try SandboxedRun.program(), "run", "LTE", "--", "echo", "begun",
                ]
            return try await runProcess(words[0], Array(words.dropFirst()))
        }
        #expect(result.exitCode == 125 && result.standardOutput == "", "\(result)")
        #expect(result.standardError.contains(Self.hint), "\(result)")
        #expect(!result.standardError.contains("sudo"), "\(result)")
    }

    @Test(arguments: [2, 3, 4, 5])
    func `apply says so, and changes nothing`(count: Int) async throws {
        try await TestNetwork.with { network in
            let before = try await network.state()
            let result = try await LimitedGroup.with(.processes(count)) { group in
                let words =
                    group.words + [
                        "nsenter", "--net=/run/netns/\(network.app)", try TestNetwork.program(),
                        "apply", "LTE", "-i", "eth0", "--backend", "engine",
                    ]
                return try await runProcess(words[0], Array(words.dropFirst()))
            }
            #expect(result.exitCode == 1, "\(result)")
            #expect(result.standardError.contains(Self.hint), "\(result)")
            try await network.expectUnchanged(since: before, "apply")
        }
    }
}

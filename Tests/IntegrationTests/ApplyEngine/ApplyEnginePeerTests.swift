import Foundation
import LinkTesting
import Testing

/// Who may tell the packet engine what to do, and what nobody may.
@Suite("Peers of the packet engine", .requiresEngineHooks, .tags(.anyKernel))
struct ApplyEnginePeerTests {
    private static let clear = #"{"query": {"id": 1, "isChange": true}, "change": {"remove": {}}}"#
    private static let status = #"{"query": {"id": 2, "isChange": false}}"#

    /// What a client that is started by some words is answered.
    private static func ask(
        _ network: TestNetwork, by words: [String], _ requests: String...
    ) async throws -> [String] {
        let client = try String(contentsOfFile: "engine_client.py".absoluteFixture, encoding: .utf8)
        let words =
            ["env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"] + words + ["python3", "-c", client]
            + requests
        let result = try await network.run(words[0], Array(words.dropFirst()))
        guard result.exitCode == 0 else {
            let status = try? await network.run(try TestNetwork.program(), ["status"])
            throw TestNetwork.Failure("\(result); \(status, default: "no status")")
        }
        return result.standardOutput.split(separator: "\n").map(String.init)
    }

    @Test(arguments: [
        ["unshare", "--user", "--map-root-user", "--mount"],
        ["setpriv", "--bounding-set", "-net_admin", "--inh-caps", "-net_admin"],
        ["unshare", "--pid", "--fork", "--mount-proc"],
        ["setpriv", "--reuid", "65534", "--clear-groups"],
    ])
    func `strangers are told what there is, and change nothing`(words: [String]) async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE")
            let answers = try await Self.ask(network, by: words, Self.clear, Self.status)
            #expect(
                answers[0].contains("permission") && !answers[0].contains("done"), "\(answers)")
            #expect(answers[1].contains("apple\\/LTE") || answers[1].contains("apple/LTE"))
            #expect(try await network.engineStatus().defect == nil)
        }
    }

    @Test func `who may change the network does so, whatever mount namespace it is in`()
        async throws
    {
        try await TestNetwork.with { network in
            try await network.applyEngine("LTE")
            let answers = try await Self.ask(network, by: ["unshare", "--mount"], Self.clear)
            #expect(answers[0].contains("done"))
            // A process is not among those of the network any more when its first thread has ended;
            // the others may still have its interfaces open.
            try await network.wait { try await network.status().conditioned.isEmpty }
            let status = try await network.status()
            #expect(status.conditioned.isEmpty, "\(answers) \(status)")
            #expect(try await network.engineProcesses().isEmpty)
        }
    }

    @Test func `it is there until its last answer was looked at`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE")
            let seen = try await Self.ask(network, by: [], "slowly", Self.clear)
            #expect(seen == ["there", "ended"])
        }
    }

    @Test func `what is no request of linkcond's is refused, and changes nothing`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE")
            let before = try await network.engineState()
            let forged = [
                // A token of another connection.
                #"{"query": {"id": 1, "token": 1, "isChange": true}, "change": {"remove": {}}}"#,
                #"{"query": {"id": 1, "isChange": true}, "change": {"apply": {"_0": {}}}}"#,
                #"{"query": {"id": 1, "isChange": true}}"#, #"{"version": 2, "wish": {}}"#, "[]",
                #"{"query": {"id": 1, "isChange": true}, "change": {"apply": {"_0": {"traffic": "#
                    + #""accept; add table ip pwned { }"}}}}"#,
            ]
            for request in forged {
                let answer = try await Self.ask(network, by: [], request)
                #expect(answer[0].contains("does not understand"), "\(request): \(answer)")
            }
            #expect(try await network.engineState() == before)
        }
    }

    @Test func `those who say nothing are sent away, and keep nobody out`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE")
            async let crowd = Self.ask(network, by: [], "300")
            for _ in 0..<5 {
                #expect(try await network.engineStatus().defect == nil)
                try await network.applyEngine("LTE", "--replace")
            }
            #expect(try await crowd == ["sent away"])
        }
    }

    @Test func `a delivery trace is read by who asks, and nobody else sees what is in it`()
        async throws
    {
        try await TestNetwork.withEngine { network in
            try await withTemporaryDirectory { directory in
                let file = try directory.write("1\n2\n3\n", to: "a.trace")
                try await network.applyEngine("baseline.yaml".absoluteFixture)
                try await network.applyEngine(
                    "baseline.yaml".absoluteFixture, "--replace", "--set", "down.trace=\(file)")
                #expect(try await network.engineStatus().defect == nil)
                // Where the engine would find something else, or nothing.
                let script = """
                    mount -t tmpfs none "$1" && printf '5\\n' > "$1/b.trace"
                    exec "$0" apply "$2" --replace --set "down.trace=$1/b.trace"
                    """
                let result = try await network.run(
                    "unshare",
                    [
                        "--mount", "sh", "-c", script, try TestNetwork.program(), directory.path,
                        "baseline.yaml".absoluteFixture,
                    ])
                #expect(result.exitCode == 0, "\(result)")
            }
        }
    }
}

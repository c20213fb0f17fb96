import Foundation
import LinkTesting
import Testing

/// Where the time of real programs goes, whose answer is known by construction.
@Suite("Explain", .serialized, .requiresNamespaces, .tags(.measure, .anyKernel))
struct ExplainTests {
    /// What `--explain FILE.json` writes, as far as tests ask.
    private struct Explanation: Decodable {
        struct Connection: Decodable {
            let peer: String
            let subflowOf: Int?
            let requests: Int
            let drops: [String: Int]
            let fastRetransmissions: Int
            let timeoutRetransmissions: Int
        }

        let durationSeconds: Double
        let sentence: String
        let faithful: Bool?
        let shares: [String: Double]
        let connections: [Connection]

        func seconds(_ causes: String...) -> Double {
            causes.reduce(0) { $0 + (shares[$1] ?? 0) }
        }
    }

    private static let server = """
        import socket, sys, time
        pause, size = float(sys.argv[1]), int(sys.argv[2])
        server = socket.create_server(("::", 8000), family=socket.AF_INET6, dualstack_ipv6=True)
        while True:
            connection, _ = server.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while connection.recv(4096):
                time.sleep(pause)
                connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n" % size
                                   + bytes(size))
            connection.close()
        """

    /// Asks a server that answers each request with `bytes` after `pause` for several things, one
    /// after the other on one connection. A run for which the machine was too busy, as linkcond itself
    /// says, is repeated.
    private func explain(
        _ options: String..., network: [String] = ["Baseline"], version: String = "-4",
        requests: Int, bytes: Int, pause: Double = 0, by caller: Caller = .root
    ) async throws -> Explanation {
        var found: Explanation?
        for _ in 0..<5 where found?.faithful != true {
            found = try await explainOnce(
                network + options, version, requests, bytes, pause, by: caller)
        }
        let explanation = try #require(found)
        try #require(explanation.faithful == true, "the machine was too busy: \(explanation)")
        return explanation
    }

    private func explainOnce(
        _ options: [String], _ version: String, _ requests: Int, _ bytes: Int, _ pause: Double,
        by caller: Caller
    ) async throws -> Explanation {
        try await withTemporaryDirectory { directory in
            try shell("chmod 777 \(directory.path)")
            let script = try directory.write(Self.server, to: "server.py")
            try shell("chmod 644 \(script)")
            let report = directory.path + "/report.json"
            let addresses = Array(repeating: "http://server.linkcond:8000/", count: requests)
            let result = try await SandboxedRun(
                arguments: options + [
                    "--backend", "engine", "--uplink", "none",
                    "--server", "exec python3 \(script) \(pause) \(bytes)", "--server-ready",
                    "8000", "--explain", report, "--", "curl", version, "-sS", "-o", "/dev/null",
                ] + addresses, by: caller
            ).result()
            #expect(result.exitCode == 0, "\(result.standardError)")
            let text = try String(contentsOfFile: report, encoding: .utf8)
            try await JSONSchema("explanation").expectValid(text)
            let explanation = try JSONDecoder().decode(Explanation.self, from: Data(text.utf8))
            let sum = explanation.shares.values.reduce(0, +)
            #expect(abs(sum - explanation.durationSeconds) < 1e-3)
            return explanation
        }
    }

    private func expect(
        _ measured: Double, isNear known: Double, _ explanation: Explanation,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            abs(measured - known) <= 0.05 * known, "\(explanation)", sourceLocation: sourceLocation)
    }

    @Test(arguments: zip(Caller.allCases, ["-4", "-6"]))
    func `ten requests one after the other are ten round trips`(
        caller: Caller, version: String
    ) async throws {
        let explanation = try await explain(
            "--set", "down.delay=50ms", "--set", "up.delay=50ms", version: version, requests: 10,
            bytes: 200, by: caller)
        expect(explanation.seconds("propagation"), isNear: 1, explanation)
        expect(explanation.seconds("tcpHandshake"), isNear: 0.1, explanation)
        #expect(explanation.connections.map { $0.peer.hasPrefix("[") } == [version == "-6"])
    }

    @Test(.requiresMultipath)
    func `requests over two interfaces at once are round trips of the one that is used`()
        async throws
    {
        let explanation = try await explain(
            network: [
                "--interface", "wifi0=Baseline,down.delay=50ms,up.delay=50ms", "--interface",
                "cell0=Baseline,down.delay=150ms,up.delay=150ms", "--multipath", "handover",
            ], requests: 10, bytes: 200)
        expect(explanation.seconds("propagation"), isNear: 1, explanation)
        expect(explanation.seconds("tcpHandshake"), isNear: 0.1, explanation)
        // The other one is opened beside the requests, and nothing waits for it.
        #expect(explanation.connections.map(\.requests) == [10, 0], "\(explanation)")
        #expect(explanation.connections.map(\.subflowOf) == [nil, 1], "\(explanation)")
    }

    /// A SYN is repeated after a second (RFC 6298, section 2). This seed loses the first packet, and an
    /// acknowledgement later, for which nothing waits.
    @Test func `a lost first packet is a second`() async throws {
        let explanation = try await explain(
            "--set", "down.delay=20ms", "--set", "up.delay=20ms", "--set", "up.loss=10%", "--seed",
            "21", requests: 2, bytes: 200)
        let connection = try #require(explanation.connections.first)
        #expect(explanation.connections.count == 1, "\(explanation)")
        #expect(connection.timeoutRetransmissions == 1, "\(explanation)")
        expect(explanation.seconds("timeoutRecovery"), isNear: 1, explanation)
        expect(explanation.seconds("tcpHandshake"), isNear: 0.04, explanation)
        expect(explanation.seconds("propagation"), isNear: 0.08, explanation)
    }

    /// Of ten packets that are sent at once, one in the middle is lost: it comes again when those behind
    /// it are acknowledged, a round trip later (RFC 8985).
    @Test func `a packet lost among others is a round trip more`() async throws {
        let explanation = try await explain(
            "--set", "down.delay=100ms", "--set", "up.delay=100ms", "--set", "down.loss=8%",
            "--seed", "2", requests: 1, bytes: 13_000)
        let connection = try #require(explanation.connections.first)
        #expect(connection.drops == ["lost": 1], "\(explanation)")
        #expect(connection.fastRetransmissions == 1, "\(explanation)")
        expect(explanation.seconds("fastRecovery"), isNear: 0.2, explanation)
        expect(explanation.seconds("tcpHandshake"), isNear: 0.2, explanation)
        expect(explanation.seconds("propagation"), isNear: 0.2, explanation)
    }

    @Test func `a server that sleeps is the server`() async throws {
        let explanation = try await explain(
            "--set", "down.delay=20ms", "--set", "up.delay=20ms", requests: 2, bytes: 200,
            pause: 0.5)
        expect(explanation.seconds("server"), isNear: 1, explanation)
        expect(explanation.seconds("propagation"), isNear: 0.08, explanation)
    }

    @Test func `what the bandwidth takes is the bandwidth`() async throws {
        let explanation = try await explain(
            "--set", "down.bandwidth=1Mbit/s", "--set", "down.delay=5ms", requests: 1,
            bytes: 500_000)
        // 346 packets of 1448 bytes, each with 66 of headers.
        expect(explanation.seconds("serialization"), isNear: 4.18, explanation)
    }

    @Test func `a lost request waits for the timer`() async throws {
        let explanation = try await explain(
            "--set", "down.delay=10ms", "--set", "up.delay=10ms", "--set", "up.loss=40%", "--seed",
            "3", requests: 3, bytes: 200)
        let recovery = explanation.seconds("timeoutRecovery", "tcpHandshake")
        #expect(recovery > 0.15, "\(explanation)")
        #expect(recovery < explanation.durationSeconds)
    }
}

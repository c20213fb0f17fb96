import Foundation
import LinkTesting
import Testing

/// Where the time of real programs goes, whose answer is known by construction.
@Suite("Explain", .serialized, .requiresNamespaces, .tags(.anyKernel))
struct ExplainTests {
    /// What `--explain FILE.json` writes, as far as tests ask.
    private struct Explanation: Decodable {
        let durationSeconds: Double
        let sentence: String
        let shares: [String: Double]

        func seconds(_ causes: String...) -> Double {
            causes.reduce(0) { $0 + (shares[$1] ?? 0) }
        }
    }

    private static let server = """
        import socket, sys, time
        pause, size = float(sys.argv[1]), int(sys.argv[2])
        server = socket.create_server(("", 8000))
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
    /// after the other on one connection.
    private func explain(
        _ options: String..., requests: Int, bytes: Int, pause: Double = 0,
        by caller: Caller = .root
    ) async throws -> Explanation {
        try await withTemporaryDirectory { directory in
            try shell("chmod 777 \(directory.path)")
            let script = try directory.write(Self.server, to: "server.py")
            try shell("chmod 644 \(script)")
            let report = directory.path + "/report.json"
            let addresses = Array(repeating: "http://server.linkcond:8000/", count: requests)
            let result = try await SandboxedRun(
                arguments: ["Baseline", "--backend", "engine", "--uplink", "none"] + options + [
                    "--server", "exec python3 \(script) \(pause) \(bytes)", "--server-ready",
                    "8000", "--explain", report, "--", "curl", "-4", "-sS", "-o", "/dev/null",
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

    @Test(arguments: Caller.allCases)
    func `ten requests one after the other are ten round trips`(caller: Caller) async throws {
        let explanation = try await explain(
            "--set", "down.delay=50ms", "--set", "up.delay=50ms", requests: 10, bytes: 200,
            by: caller)
        expect(explanation.seconds("propagation"), isNear: 1, explanation)
        expect(explanation.seconds("tcpHandshake"), isNear: 0.1, explanation)
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

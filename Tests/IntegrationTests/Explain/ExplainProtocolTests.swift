import Foundation
import LinkTesting
import Testing

/// Protocols of real programs at both ends, with a delay of 50 ms each way.
@Suite("Explain: protocols", .serialized, .requiresNamespaces, .tags(.anyKernel))
struct ExplainProtocolTests {
    private struct Explanation: Decodable {
        struct Connection: Decodable {
            let kind: String
            let serverName: String?
            let requests: Int
            let drops: [String: Int]
            let fastRetransmissions: Int
            let timeoutRetransmissions: Int
        }

        struct Advice: Decodable {
            let topic: String
            let packets: [Int]
        }

        let shares: [String: Double]
        let phases: [String: [String: Double]]
        let connections: [Connection]
        let advice: [Advice]
    }

    private func explain(
        _ options: [String] = [], server: String, ready: String, _ command: String,
        exitCodes: Set<Int32> = [0]
    ) async throws -> Explanation {
        try await withTemporaryDirectory { directory in
            try shell("chmod 777 \(directory.path)")
            try directory.write(Self.datagrams, to: "datagrams.py")
            try shell(
                """
                cd \(directory.path) && openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem \
                -out cert.pem -days 2 -subj /CN=server.linkcond 2>/dev/null && chmod 644 * \
                && head -c 200000 /dev/zero > big
                """)
            let report = directory.path + "/report.json"
            let result = try await SandboxedRun(
                arguments: [
                    "Baseline", "--backend", "engine", "--uplink", "none", "--set",
                    "down.delay=50ms", "--set", "up.delay=50ms",
                ] + options + [
                    "--server", "cd \(directory.path) && \(server)", "--server-ready", ready,
                    "--explain", report, "--", "sh", "-c", "cd \(directory.path) && \(command)",
                ]
            ).result()
            #expect(exitCodes.contains(result.exitCode ?? -1), "\(result)")
            let text = try String(contentsOfFile: report, encoding: .utf8)
            try await JSONSchema("explanation").expectValid(text)
            return try JSONDecoder().decode(Explanation.self, from: Data(text.utf8))
        }
    }

    private static let datagrams = """
        import socket, sys, time
        if sys.argv[1] == "serve":
            server = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
            server.bind(("::", 9000))
            while True:
                data, peer = server.recvfrom(2000)
                time.sleep(0.2)
                server.sendto(data, peer)
        client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        client.connect(("server.linkcond", 9000))
        for _ in range(4):
            client.send(bytes(100))
            client.recv(2000)
        """

    /// Handshakes may take a busy machine some time, but never less than their round trips.
    private func expect(
        _ explanation: Explanation, _ phase: String, isTrips count: Double,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let seconds = explanation.phases[phase]?["propagation"] ?? 0
        #expect(
            abs(seconds - count * 0.1) <= 0.05 * count * 0.1, "\(explanation)",
            sourceLocation: sourceLocation)
    }

    @Test(arguments: [("-tls1_3", 2), ("-tls1_2", 3)])
    func `a TLS handshake is a round trip, and two before version 1.3 unless it is resumed`(
        version: String, trips: Int
    ) async throws {
        let found = try await explain(
            server:
                "exec openssl s_server -accept 8443 -cert cert.pem -key key.pem -WWW -quiet \(version)",
            ready: "8443",
            "curl -4 -sS --cacert cert.pem -o /dev/null https://server.linkcond:8443/big "
                + "-o /dev/null https://server.linkcond:8443/cert.pem")
        let connections = found.connections.filter { $0.requests > 0 }
        #expect(connections.count == 2)
        #expect(connections.allSatisfy { $0.serverName == "server.linkcond" && $0.requests == 1 })
        expect(found, "tcpHandshake", isTrips: 2)
        expect(found, "tlsHandshake", isTrips: Double(trips))
        let advice = try #require(found.advice.first { $0.topic == "noReuse" }, "\(found)")
        #expect(advice.packets.count == 2)
    }

    @Test func `requests in datagrams are round trips, and the server's pauses its own`()
        async throws
    {
        let found = try await explain(
            server: "exec python3 datagrams.py serve", ready: "9000/udp", "python3 datagrams.py ask"
        )
        expect(found, "exchange", isTrips: 4)
        #expect(found.connections.map(\.kind) == ["udp"])
        #expect(found.connections[0].requests == 4)
        #expect(found.shares["server"] ?? 0 > 0.8, "\(found)")
    }

    @Test func `QUIC's handshake and requests are seen`() async throws {
        let python = try PythonTool.environment().map { "\($0)='\($1)'" }.joined(separator: " ")
        let server = BusFixture.path(of: "quicserver.py")
        let client = BusFixture.path(of: "quicclient.py")
        let found = try await explain(
            server: "exec env \(python) python3 \(server) . 4433 40000", ready: "4433/udp",
            "env \(python) timeout 60 python3 \(client) linkcond server.linkcond 4433",
            exitCodes: [0, 1, 124])
        let quic = try #require(found.connections.first { $0.kind == "quic" }, "\(found)")
        #expect(quic.requests >= 1)
        #expect(found.phases["tlsHandshake"]?["propagation"] ?? 0 >= 0.095, "\(found)")
    }

    @Test func `names that dig asks for are name resolution`() async throws {
        let found = try await explain(
            server:
                "exec dnsmasq -k --no-resolv --no-hosts --user=root --address=/example.test/192.0.2.1",
            ready: "53/udp",
            "dig +short -4 @server.linkcond a.example.test && dig +short -4 @server.linkcond a.example.test"
        )
        expect(found, "nameResolution", isTrips: 2)
        #expect(found.advice.contains { $0.topic == "nameTwice" }, "\(found)")
    }

    @Test func `refused connections are named`() async throws {
        let found = try await explain(
            server: "exec python3 -m http.server --bind 0.0.0.0 8000", ready: "8000",
            "curl -sS -o /dev/null http://server.linkcond:8000/")
        let advice = try #require(found.advice.first { $0.topic == "refused" }, "\(found)")
        #expect(advice.packets.count == 1)
    }

    @Test func `a full queue loses packets, which come again`() async throws {
        let found = try await explain(
            ["--set", "down.bandwidth=4Mbit/s", "--set", "down.queue=10 packets"],
            server: "exec python3 -m http.server --bind :: 8000", ready: "8000",
            "curl -6 -sS -o /dev/null http://server.linkcond:8000/big")
        let connection = try #require(found.connections.first { $0.requests > 0 })
        let lost = connection.drops["queueFull"] ?? 0
        #expect(lost > 0, "\(found)")
        let repeated = connection.fastRetransmissions + connection.timeoutRetransmissions
        #expect(repeated >= lost, "\(found)")
        #expect(
            (found.shares["fastRecovery"] ?? 0) + (found.shares["timeoutRecovery"] ?? 0) > 0,
            "\(found)")
    }
}

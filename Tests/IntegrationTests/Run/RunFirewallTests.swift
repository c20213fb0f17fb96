import Foundation
import LinkTesting
import Testing

/// A network that lets only part of the traffic pass.
@Suite("Firewall in the middle of a run", .requiresNamespaces, .tags(.anyKernel))
struct RunFirewallTests {
    private static func options(_ firewall: String) -> [String] {
        [
            "Wi-Fi", "--set", "middle={ firewall: { \(firewall) } }", "--uplink", "none",
            "--server",
            "python3 -m http.server --bind :: 8000 2>/dev/null", "--server-ready", "8000",
        ]
    }

    private static let get = "get() { curl -s -o /dev/null -w '%{http_code} ' $*; echo $?; }\n"

    @Test(arguments: [
        ("drop", "000 28"), ("reset", "000 7"), ("icmp", "000 7"),
    ])
    func `curl learns what the firewall tells, with both families`(
        answer: String, end: String
    ) async throws {
        try await RecordingFiles.with { files in
            let result = try await SandboxedRun(
                arguments: Self.options("block: [tcp/8001], answer: \(answer)") + files.options + [
                    "--", "sh", "-c",
                    Self.get
                        + "get -m 3 -4 server.linkcond:8001; get -m 3 -6 server.linkcond:8001; "
                        + "get -m 60 -4 server.linkcond:8000; get -m 60 -6 server.linkcond:8000",
                ]
            ).result()
            #expect(
                result.standardOutput == "\(end)\n\(end)\n200 0\n200 0\n", "\(result)")
            let blocked = try files.lines().filter { $0["verdict"] == "blocked" }
            #expect(blocked.count >= 2)
            #expect(
                blocked.allSatisfy { $0["direction"] == "up" && $0["destinationPort"] == "8001" })
        }
    }

    @Test func `without UDP, QUIC fails and a client falls back to TCP`() async throws {
        let python = try PythonTool.environment().map { "\($0)='\($1)'" }.joined(separator: " ")
        let (server, client) = (
            BusFixture.path(of: "quicserver.py"), BusFixture.path(of: "quicclient.py")
        )
        try await RecordingFiles.with { files in
            let directory = files.directory
            for (block, seconds, expected) in [
                ("udp", 10, "TCP"), ("quic", 10, "TCP"), ("udp/9", 120, "QUIC"),
            ] {
                let result = try await SandboxedRun(
                    arguments: Self.options("block: [\(block)], answer: icmp") + files.options + [
                        "--server",
                        "exec env \(python) python3 \(server) \(directory.path) 4433 1000",
                        "--server-ready", "4433", "--", "sh", "-c",
                        """
                        if env \(python) timeout \(seconds) python3 \(client) linkcond \
                            server.linkcond 4433 >/dev/null 2>&1 ||
                            grep -q . \(directory.path)/addresses 2>/dev/null
                        then echo QUIC
                        else curl -4 -s -o /dev/null server.linkcond:8000 && echo TCP
                        fi
                        """,
                    ]
                ).result()
                #expect(result.standardOutput == "\(expected)\n", "\(block): \(result)")
                let text = try String(contentsOfFile: files.stats, encoding: .utf8)
                try await JSONSchema("statistics").expectValid(text)
                let blocked = try files.lines().count { $0["verdict"] == "blocked" }
                #expect((blocked > 0) == (expected == "TCP"))
                #expect(text.contains("\"blockedPackets\" : \(blocked),"))
            }
        }
    }

    /// Sends a byte now and then, so that its clients have nothing to do but wait.
    private static let drip = """
        import socket, socketserver, time
        class Drip(socketserver.BaseRequestHandler):
            def handle(self):
                while True:
                    self.request.sendall(b".")
                    time.sleep(0.1)
        class Server(socketserver.ThreadingTCPServer):
            address_family = socket.AF_INET6
            daemon_threads = True
        Server(("::", 8000), Drip).serve_forever()
        """

    @Test(arguments: ["-4", "-6"])
    func `a timeline cuts an open connection, and lets new ones pass later`(
        family: String
    ) async throws {
        try await RecordingFiles.with { files in
            let directory = files.directory
            try directory.write(Self.drip, to: "drip.py")
            try directory.write(
                """
                name: Office
                interfaces: { eth0: { profile: Wi-Fi } }
                timeline:
                  - { at: 1 s, middle: { firewall: { block: [tcp/8000], answer: reset } } }
                  - { at: 3 s, middle: none }
                repeat: { every: 5 s, times: 50 }
                """, to: "office.yaml")
            let output = try await SandboxedRun(
                arguments: [
                    "--scenario", directory.path + "/office.yaml", "--uplink", "none",
                ] + files.options + [
                    "--server", "python3 \(directory.path)/drip.py", "--server-ready", "8000",
                    "--", "sh", "-c",
                    """
                    get() { curl \(family) -sN --http0.9 -m 20 server.linkcond:8000; }
                    # One that comes late is refused until the next time that they are let in.
                    until get >/dev/null; [ $? = 56 ]; do sleep 0.1; done; echo cut
                    until get | head -c 1 | grep -q .; do sleep 0.1; done; echo open
                    """,
                ]
            ).output()
            #expect(output == "cut\nopen\n")
            #expect(try files.lines().contains { $0["verdict"] == "blocked" })
        }
    }

    @Test func `a silent connection is forgotten, and nobody is told`() async throws {
        try await RecordingFiles.with { files in
            let result = try await SandboxedRun(
                arguments: Self.options("timeout: { tcp: 1 s }") + files.options + [
                    // What the forgotten connection sent never arrives.
                    "--drain", "1 s", "--", "python3", "-c",
                    """
                    import socket, time
                    def ask(connection):
                        connection.sendall(b"HEAD / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
                        return connection.recv(4096)[:8].decode()
                    def connect():
                        return socket.create_connection(("server.linkcond", 8000), timeout=20)
                    first = connect()
                    time.sleep(2.5)
                    first.settimeout(2)
                    try:
                        print(ask(first))
                    except TimeoutError:
                        print("nothing")
                    while True:
                        second = connect()
                        second.settimeout(2)
                        try:
                            print(ask(second))
                            break
                        except TimeoutError:
                            pass # Its server took so long that it was forgotten, too.
                    """,
                ]
            ).result()
            #expect(result.standardOutput == "nothing\nHTTP/1.0\n", "\(result)")
            #expect(try files.lines().contains { $0["verdict"] == "forgotten" })
        }
    }
}

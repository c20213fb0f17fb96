import Foundation
import LinkTesting
import Testing

/// Responders that are none, or vanish, and clients that are none.
@Suite("Responders", .serialized, .requiresNamespaces, .tags(.anyKernel))
struct ResponderTests {
    private static var linkcond: String {
        ProcessInfo.processInfo.environment["LINKCOND_BINARY"] ?? "linkcond"
    }

    /// Learns from a server that is given as a command.
    private func learn(
        from server: String, readyAt: String = "46464", _ more: String...
    ) async throws -> (code: Int32?, message: String) {
        try await withTemporaryDirectory { directory in
            let result = try await SandboxedRun(
                arguments: [
                    "Wi-Fi", "--uplink", "none", "--drain", "0 s", "--server", server,
                    "--server-ready", readyAt, "--", Self.linkcond, "learn", "x", "--server",
                    "server.linkcond", "--output", directory.path, "--quiet", "--time", "5s",
                ] + more
            ).result()
            let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(left.isEmpty, "a profile was written: \(left)")
            return (result.exitCode, result.standardError)
        }
    }

    @Test
    func `somebody else's port is told as such`() async throws {
        let web = try await learn(from: "exec python3 -m http.server 46464")
        #expect(web.code == 1)
        #expect(web.message.contains("something else listens there, which says"), "\(web.message)")
    }

    @Test
    func `a responder of another version is told as such`() async throws {
        let script = """
            import socket
            server = socket.create_server(("", 46464))
            while True:
                connection, _ = server.accept()
                if connection.recv(100):
                    connection.sendall(b"linkcond-learn/9 3.0.0 version\\n")
                connection.close()
            """
        try await withTemporaryDirectory { directory in
            let file = try directory.write(script, to: "old.py")
            let other = try await learn(from: "exec python3 \(file)")
            #expect(other.code == 69)
            #expect(other.message.contains("speaks version 9"), "\(other.message)")
            #expect(other.message.contains("same linkcond at both ends"))
        }
    }

    @Test
    func `a responder that vanishes is told as such`() async throws {
        let killed = try await learn(
            from: """
                \(Self.linkcond) learn --serve --quiet &
                until ss -Htn state established sport = 46464 | grep -q .; do sleep 0.1; done
                sleep 2
                kill -9 $!
                sleep 60
                """)
        #expect(killed.code == 1)
        #expect(killed.message.contains("vanished"), "\(killed.message)")
    }

    @Test
    func `a second client is told that the responder is busy`() async throws {
        let result = try await SandboxedRun(
            arguments: [
                "Wi-Fi", "--uplink", "none", "--server",
                "exec \(Self.linkcond) learn --serve --quiet", "--server-ready", "46464", "--",
                "sh", "-c",
                """
                cd /tmp
                "$0" learn x --server server.linkcond --output /dev/null/x --force --quiet \
                    --time 5s 2>/dev/null &
                until ss -Htn state established dport = 46464 | grep -q .; do sleep 0.1; done
                "$0" learn y --server server.linkcond --output /dev/null/y --force --quiet
                echo "code $?"
                kill $!
                """, Self.linkcond,
            ]
        ).result()
        #expect(result.standardOutput.contains("code 1"))
        #expect(result.standardError.contains("somebody else"), "\(result.standardError)")
    }

    @Test
    func `who does not greet is sent away, and the next is served`() async throws {
        let result = try await SandboxedRun(
            arguments: [
                "Wi-Fi", "--uplink", "none", "--server",
                "exec \(Self.linkcond) learn --serve --quiet", "--server-ready", "46464", "--",
                "sh", "-c",
                """
                curl -s -m 5 --http0.9 http://server.linkcond:46464/
                printf 'linkcond-learn/9 9.9.9 hello\\n' | nc -q 2 server.linkcond 46464 ||
                    python3 -c '
                import socket
                peer = socket.create_connection(("server.linkcond", 46464))
                peer.sendall(b"linkcond-learn/9 9.9.9 hello\\n")
                print(peer.recv(100).decode())'
                """,
            ]
        ).result()
        let answers = result.standardOutput.split(separator: "\n").filter {
            $0.hasPrefix("linkcond-learn/2 ") && $0.hasSuffix(" version")
        }
        #expect(answers.count == 2, "\(result.standardOutput) \(result.standardError)")
    }
}

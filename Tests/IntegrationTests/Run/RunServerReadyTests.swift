import LinkTesting
import Testing

/// Waiting for servers.
@Suite("Run: servers that are waited for", .requiresNamespaces, .tags(.contrary, .anyKernel))
struct RunServerReadyTests {
    @Test(arguments: Caller.allCases)
    func `a server of UDP`(caller: Caller) async throws {
        let server = """
            exec python3 -c 'import socket, time
            s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
            time.sleep(0.3)
            s.bind(("::", 4433))
            data, peer = s.recvfrom(100)
            s.sendto(data, peer)
            time.sleep(100)'
            """
        let output = try await SandboxedRun(
            "WiFi", "--uplink", "none", "--server", server, "--server-ready", "4433/udp", "--",
            "python3", "-c",
            """
            import socket
            s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
            s.settimeout(20)
            s.connect(("server.linkcond", 4433))
            s.send(b"there")
            print(s.recv(100).decode())
            """, by: caller
        ).output()
        #expect(output == "there\n")
    }

    @Test func `one that goes into the background is waited for`() async throws {
        let output = try await SandboxedRun(
            "WiFi", "--uplink", "none", "--server",
            "(sleep 0.5; exec python3 -m http.server --bind :: 8000) >/dev/null 2>&1 &",
            "--server-ready", "8000", "--", "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}",
            "http://server.linkcond:8000/"
        ).output()
        #expect(output == "200")
    }

    @Test func `one that never comes is told, and ends at the caller's limit with 124`()
        async throws
    {
        let result = try await SandboxedRun(
            "LTE", "--uplink", "none", "--timeout", "10 s", "--server", "sleep 100",
            "--server-ready", "8000", "--", "echo", "command"
        ).result()
        #expect(result.exitCode == 124)
        #expect(result.standardOutput == "")
        #expect(result.standardError.contains("waiting for a server at port 8000"))
        #expect(
            result.standardError.contains("interrupted while it waited for a server at port 8000"))
    }

    @Test(
        arguments: [
            (["--server-ready", "0", "--server", "true"], "\"0\" is not a port"),
            (["--server-ready", "80/sctp", "--server", "true"], "\"80/sctp\" is not a port"),
            (["--server-ready", "80"], "there is none"),
        ])
    func `what cannot come true is refused`(options: [String], message: String) async throws {
        let result = try await SandboxedRun(arguments: ["LTE"] + options + ["--", "true"]).result()
        #expect(result.exitCode == 64)
        #expect(result.standardError.contains(message), "\(result.standardError)")
    }
}

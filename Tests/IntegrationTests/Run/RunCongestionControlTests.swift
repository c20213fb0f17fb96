import LinkTesting
import Testing

/// `--tcp`: the congestion control of a run.
@Suite("Run: congestion control", .requiresNamespaces, .tags(.contrary, .anyKernel))
struct RunCongestionControlTests {
    /// Prints the congestion control of a connection, from the socket itself.
    private static let client = """
        import socket
        s = socket.create_connection(("server.linkcond", 8000), 20)
        print(s.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\\0").decode())
        print(s.recv(100).decode())
        """
    private static let server = """
        import socket
        listener = socket.create_server(("", 8000))
        while True:
            s, _ = listener.accept()
            s.sendall(s.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\\0"))
            s.close()
        """

    @Test(arguments: Caller.allCases)
    func `both ends have it`(caller: Caller) async throws {
        // Reno is in every kernel, and free for all.
        let output = try await SandboxedRun(
            "WiFi", "--tcp", "reno", "--uplink", "none", "--server",
            "exec python3 -c '\(Self.server)'", "--server-ready", "8000", "--", "python3", "-c",
            Self.client, by: caller
        ).output()
        #expect(output == "reno\nreno\n")
    }

    @Test func `without it both ends have the host's`() async throws {
        let host = try shell("cat /proc/sys/net/ipv4/tcp_congestion_control")
        let output = try await SandboxedRun(
            "WiFi", "--uplink", "none", "--", "cat",
            "/proc/sys/net/ipv4/tcp_congestion_control"
        ).output()
        #expect(output == host)
    }

    @Test(arguments: Caller.allCases)
    func `one that the kernel lacks is told, and the command does not start`(
        caller: Caller
    ) async throws {
        let result = try await SandboxedRun(
            "WiFi", "--tcp", "nonesuch", "--", "echo", "started", by: caller
        ).result()
        #expect(result.exitCode == 69)
        #expect(result.standardOutput == "")
        #expect(
            result.standardError.hasPrefix(
                "linkcond: --tcp nonesuch: this kernel has no such congestion control"))
        #expect(result.standardError.contains("sudo modprobe tcp_nonesuch"))
    }

    @Test func `what is no name is a mistake of the command line`() async throws {
        let result = try await SandboxedRun("WiFi", "--tcp", "no name", "--", "true").result()
        #expect(result.exitCode == 64)
        #expect(result.standardError.contains("is not the name of a congestion control"))
    }
}

import LinkTesting
import Testing

/// Super-packets of datagrams, as programs with QUIC send them (`UDP_SEGMENT`). Kernels before 6.2 give
/// none to the packet engine.
@Suite("Datagrams sent at once", .serialized, .requiresDataPlane) struct DatagramTrainTests {
    private static let program = "datagram_trains.py".absoluteFixture
    private static let all = "there 60 of 1000; back 60 of 1000\n"

    @Test func `cross an interface with conditions, either way`() async throws {
        try await TestNetwork.with { network in
            async let serving = runProcess(
                "ip", ["netns", "exec", network.server, "python3", Self.program, "serve", "2"])
            try await network.mustRun("apply", "LTE", "--backend", "engine")
            let result = try await network.run(
                "python3",
                [Self.program, "ask", TestNetwork.serverIPv4, TestNetwork.serverIPv6])
            #expect(result.standardOutput == Self.all + Self.all, "\(result)")
            #expect(try await serving.exitCode == 0)
        }
    }

    @Test(arguments: [[], ["--loopback"]])
    func `cross a run, either way`(options: [String]) async throws {
        try await TestNetwork.with { network in
            let host = options.isEmpty ? "server.linkcond" : "127.0.0.1"
            let server = "python3 \(Self.program) serve 1"
            let command = options.isEmpty ? "" : "\(server) & "
            let result = try await network.linkcond(
                ["run", "LTE", "--backend", "engine"] + options
                    + [
                        "--uplink", "none", "--server", server, "--", "sh", "-c",
                        command + "python3 \(Self.program) ask \(host)",
                    ])
            #expect(result.standardOutput == Self.all, "\(result)")
        }
    }
}

import LinkTesting
import Testing

/// Client and server in one run, as a test suite would have them.
@Suite("Run: servers", .requiresNamespaces, .tags(.contrary, .long))
struct RunServerTests {
    /// Both families one after the other, and the profiles beside each other: most of it is waiting.
    @Test(arguments: Caller.allCases)
    func `curl gets what a web server has, by IPv4 and IPv6`(caller: Caller) async throws {
        try await withTemporaryDirectory { directory in
            try shell("chmod 755 \(directory.path); seq 3000 >\(directory.path)/file")
            let expected = try shell("sha256sum <\(directory.path)/file")
            try await withThrowingTaskGroup(of: (String, String).self) { group in
                for profile in ["LTE", "3G", "Edge", "high-loss", "DSL"] {
                    group.addTask {
                        (profile, try await Self.downloads(over: profile, by: caller, directory))
                    }
                }
                for try await (profile, output) in group {
                    #expect(output == expected + expected, "\(profile)")
                }
            }
        }
    }

    /// The checksums of the directory's file as it arrives.
    private static func downloads(
        over profile: String, by caller: Caller, _ directory: TemporaryDirectory
    ) async throws -> String {
        try await SandboxedRun(
            profile, "--uplink", "none", "--server",
            "exec python3 -m http.server --bind :: --directory \(directory.path) 8000",
            "--server-ready", "8000", "--", "sh", "-c",
            """
            for family in -4 -6; do
                curl -s $family http://server.linkcond:8000/file | sha256sum
            done
            """, by: caller
        ).output(timeout: .seconds(240))
    }

    /// A server of all addresses leaves it to the kernel from which of them it answers, and clients
    /// take answers of none but the one that they asked.
    @Test(arguments: Caller.allCases, [1, 2])
    func `a connected socket of UDP hears the server, over every interface`(
        caller: Caller, interfaces: Int
    ) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = "\(BuiltProduct.packageDirectory)/Tests/UplinkTests/Fixtures/peers.py"
            try shell("chmod 755 \(directory.path); cp \(fixture) \(directory.path)")
            let peer = "python3 \(directory.path)/peers.py"
            let names = ["wifi0", "cell0"].prefix(interfaces)
            let asking = names.flatMap { name in
                ["198.18.0.3", "fd6c:696e:6b63::3"].map { "\(peer) ask_over \(name) \($0) 4000" }
            }
            let output = try await SandboxedRun(
                arguments: names.flatMap { ["--interface", "\($0)=WiFi"] } + [
                    "--uplink", "none", "--server", "exec \(peer) datagram_echo_server 4000",
                    "--server-ready", "4000/udp", "--", "sh", "-c", asking.joined(separator: "\n"),
                ], by: caller
            ).output()
            #expect(output == String(repeating: "heard\n", count: 2 * interfaces))
        }
    }
}

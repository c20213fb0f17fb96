import LinkTesting
import Testing

/// Client and server in one run, as a test suite would have them.
@Suite("Run: servers", .requiresNamespaces)
struct RunServerTests {
    @Test(arguments: ["LTE", "3G", "Edge", "high-loss", "DSL"], Caller.allCases)
    func `curl gets what a web server has, by IPv4 and IPv6`(
        profile: String, caller: Caller
    ) async throws {
        try await withTemporaryDirectory { directory in
            try shell("chmod 755 \(directory.path); seq 3000 >\(directory.path)/file")
            let expected = try shell("sha256sum <\(directory.path)/file")
            for family in ["-4", "-6"] {
                let output = try await SandboxedRun(
                    profile, "--uplink", "none", "--server",
                    "exec python3 -m http.server --bind :: --directory \(directory.path) 8000",
                    "--server-ready", "8000", "--", "sh", "-c",
                    "curl -s \(family) http://server.linkcond:8000/file | sha256sum", by: caller
                ).output(timeout: .seconds(240))
                #expect(output == expected)
            }
        }
    }
}

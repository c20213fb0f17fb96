import LinkTesting
import Testing

/// How fast Multipath TCP is, which others beside it would disturb.
@Suite(
    "Multipath TCP: accuracy", .requiresNamespaces, .requiresMultipath, .tags(.paced, .anyKernel))
struct MultipathAccuracyTests {
    @Test func `aggregate gets most of what both interfaces have`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path
            try shell("head -c 6000000 /dev/urandom >\(path)/file")
            func rate(_ mode: String, preferring first: Int) async throws -> Double {
                let interfaces = Array(MultipathTransferTests.interfaces.dropFirst(2 * first))
                let text = try await SandboxedRun(
                    arguments: interfaces + [
                        "--multipath", mode, "--server",
                        "exec python3 -m http.server --directory \(path) 8000 2>/dev/null",
                        "--server-ready", "8000", "--", "curl", "-s", "-o", "/dev/null", "-w",
                        "%{speed_download}", "http://server.linkcond:8000/file",
                    ]
                ).output()
                return try #require(Double(text))
            }
            let sum = try await rate("off", preferring: 0) + rate("off", preferring: 1)
            let together = try await rate("aggregate", preferring: 0)
            #expect(together > 0.85 * sum, "\(together) of \(sum) bytes a second")
        }
    }
}

import LinkTesting
import Testing

@Suite("Errors of learn", .tags(.unit)) struct LearnErrorTests {
    @Test(
        "What is wrong is told, and what to do",
        arguments: [
            ([], 64, "name one of --server HOST"),
            (["x"], 64, "name one of --server HOST"),
            (["--server", "localhost"], 64, "name the profile"),
            (["x", "--server", "localhost", "--serve"], 64, "name one of --server HOST"),
            (["x", "--serve"], 64, "the other end writes"),
            (["x", "--server", "localhost", "--time", "1s"], 64, "--time 1 s"),
            (["x", "-i", "eth0"], 64, "go together"),
            (["x", "--from", "/nonexistent/capture"], 74, "no such file"),
            (["x", "--from", "/dev/null"], 78, "is empty"),
            (["x", "--server", "nosuch.invalid"], 1, "no such host"),
            (["x", "--server", "127.0.0.1", "--port", "1"], 1, "nobody listens"),
            (["x", "--server", "127.0.0.1", "--output", "/etc/passwd"], 73, "already exists"),
            (["--serve", "--listen", "192.0.2.1"], 64, "not an address of this host"),
        ])
    func errors(options: [String], code: Int32, reason: String) async throws {
        let result = try await runProcess(
            BuiltProduct.path(of: "linkcond"), ["learn"] + options,
            environment: ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"], workingDirectory: "/")
        #expect(result.exitCode == code, "\(result.standardError)")
        #expect(result.standardError.contains(reason), "\(result.standardError)")
        #expect(result.standardOutput == "")
    }
}

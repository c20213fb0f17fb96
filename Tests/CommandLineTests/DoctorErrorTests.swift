import LinkTesting
import Testing

@Suite("Errors of doctor", .tags(.unit)) struct DoctorErrorTests {
    @Test(
        "What is wrong is told, and what to do",
        arguments: [
            (["--port", "1"], 64, "go with --network HOST"),
            (["--output", "x.yaml"], 64, "go with --network HOST"),
            (["--network", ""], 64, "name the host of a responder"),
            (["--network", "127.0.0.1", "--port", "0"], 64, "ports begin with 1"),
            (["--network", "127.0.0.1", "--output", "/tmp/"], 64, "name a file"),
            (["--network", "127.0.0.1", "--output", "/etc/passwd"], 73, "already exists"),
        ])
    func errors(options: [String], code: Int32, reason: String) async throws {
        let result = try await runProcess(
            BuiltProduct.path(of: "linkcond"), ["doctor"] + options)
        #expect(result.exitCode == code, "\(result.standardError)")
        #expect(result.standardError.contains(reason), "\(result.standardError)")
        #expect(result.standardOutput == "")
    }

    @Test func `without a responder the rest is done, and the exit code says so`() async throws {
        // Nobody but this host is asked.
        let result = try await runProcess(
            BuiltProduct.path(of: "linkcond"),
            ["doctor", "--network", "127.0.0.1", "--port", "1", "--name-server", "127.0.0.1"])
        #expect(result.exitCode == 1)
        #expect(result.standardError.contains("nobody listens"), "\(result.standardError)")
        #expect(result.standardOutput.contains("\nmtu-down "), "\(result.standardOutput)")
    }
}

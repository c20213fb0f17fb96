import KernelPlane
import LinkTesting
import Testing

/// What the user is told when there is nothing to measure.
@Suite("Verify: bad input", .tags(.anyKernel))
struct VerifyBadInputTests {
    @Test(arguments: [
        (["verify"], "Name a profile, or give --all"),
        (["verify", "LET"], "did you mean"),
        (["verify", "LTE", "--all"], "contradict each other"),
        (["verify", "LTE", "--quick", "--thorough"], "contradict each other"),
        (["verify", "LTE", "--jobs", "0"], "outside 1 to 64"),
        (["verify", "LTE", "--backend", "magic"], "magic"),
        (["verify", "LTE", "--seed", "x"], "seed"),
        (["verify", "LTE", "--set", "up.loss=200%"], "more than 100%"),
        (["verify", "LTE", "--backend", "kernel", "--seed", "1"], "--seed"),
    ])
    func `is a matter of usage`(arguments: [String], message: String) async throws {
        let result = try await runProcess(try TestNetwork.program(), arguments)
        #expect(result.exitCode == 64)
        #expect(result.standardOutput == "")
        #expect(result.standardError.contains(message), "\(result.standardError)")
    }

    @Test(.requiresAbsence(of: .netem))
    func `the kernel's data plane cannot be had where it is not`() async throws {
        let result = try await runProcess(
            try TestNetwork.program(), ["verify", "LTE", "--backend", "kernel"])
        #expect(result.exitCode == 69)
        #expect(result.standardOutput == "")
        #expect(result.standardError.contains("cannot measure apple/LTE: this kernel lacks"))
    }

    @Test(.requiresNamespaces)
    func `where there is no place for files nothing is measured`() async throws {
        let result = try await runProcess(
            "env", ["TMPDIR=/nonexistent", try TestNetwork.program(), "verify", "LTE"])
        #expect(result.exitCode == 73)
        #expect(result.standardError.contains("/nonexistent"), "\(result.standardError)")
    }
}

import LinkTesting
import Testing

@Suite("Errors of bisect", .tags(.unit)) struct BisectErrorTests {
    @Test(
        "What is wrong is told, and what to do",
        arguments: [
            (["--vary", "bandwith", "--from", "1Mbit/s", "--to", "2Mbit/s"], 64, "did you mean"),
            (["--vary", "delay", "--from", "1s", "--to", "1000ms"], 64, "are both 1 s"),
            (["--vary", "delay", "--from", "10", "--to", "1s"], 64, "\"10\" has no unit"),
            (["--vary", "mtu", "--from", "10", "--to", "1500"], 64, "outside 68 to 65535"),
            (["--vary", "scenario:3.at", "--from", "1s", "--to", "9s"], 64, "needs a scenario"),
            (["--vary", "delay", "--from", "1ms", "--to", "1s", "--limit", "3"], 64, "--measure"),
            (
                [
                    "--vary", "delay", "--from", "1ms", "--to", "1s", "--measure", "x", "--limit",
                    "3",
                ],
                64, "parentheses"
            ),
            (
                ["--vary", "delay", "--from", "1ms", "--to", "1s", "--resume", "/proc/none"], 73,
                "cannot write /proc/none"
            ),
        ])
    func errors(options: [String], code: Int32, reason: String) async throws {
        let result = try await runProcess(
            BuiltProduct.path(of: "linkcond"), ["bisect", "LTE"] + options + ["--", "true"],
            environment: ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"], workingDirectory: "/")
        #expect(result.exitCode == code, "\(result.standardError)")
        #expect(result.standardError.contains(reason), "\(result.standardError)")
    }

    @Test("An event that is not there is not the fault of an end")
    func noEvent() async throws {
        let result = try await runLinkcond(
            "bisect", "--scenario", "elevator", "--vary", "scenario:99.at", "--from", "1s", "--to",
            "2s", "--", "true")
        #expect(result.exitCode == 64)
        #expect(result.standardError.hasPrefix("linkcond: --vary scenario:99.at: elevator has"))
    }

    @Test("A command has to be there")
    func noCommand() async throws {
        let result = try await runLinkcond(
            "bisect", "LTE", "--vary", "delay", "--from", "1ms", "--to", "1s")
        #expect(result.exitCode == 64)
        #expect(result.standardError.contains("there is no command"))
    }
}

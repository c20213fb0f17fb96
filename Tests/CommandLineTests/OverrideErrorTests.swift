import LinkTesting
import Testing

/// Overrides that cannot be meant, and what is only read. No privilege is needed for either.
@Suite("The verbs override and path", .tags(.unit))
struct OverrideErrorTests {
    @Test(
        "What is wrong is said before anything is done",
        arguments: [
            (["set"], "nothing to set; give --expensive"),
            (["set", "-i", "lo"], "nothing to set"),
            (["set", "--expensive", "--cost", "default"], "--expensive and --cost say the same"),
            (["set", "--constrained", "--low-data", "off"], "--constrained and --low-data"),
            (["set", "--cost", "cheap"], "cheap"),
            (["set", "--low-data", "maybe"], "maybe"),
            (["set", "--kind", "satellite"], "satellite"),
            (["set", "--expensive", "--for", "0s"], "has to be longer than nothing"),
            (["set", "--expensive", "--for", "10"], "has no unit"),
            (["set", "--expensive", "--for", "9000h"], "is longer than a year"),
            (["set", "--expensive", "--pid", "0"], "process IDs begin with 1"),
            (["set", "--expensive", "--netns", "lctest-no-such"], "no such network namespace"),
            (["clear", "--pid", "1", "--netns", "blue"], "contradict each other"),
            (["show", "--container", "lctest-no-such"], "no such container"),
            (["unset"], "unset"),
        ])
    func wrong(arguments: [String], message: String) async throws {
        let result = try await runProcess(
            BuiltProduct.path(of: "linkcond"), ["override"] + arguments,
            environment: ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"])
        #expect(result.exitCode == 64, "\(result)")
        #expect(result.standardError.contains(message), "\(result.standardError)")
        #expect(result.standardOutput == "")
    }

    @Test("Help of the verbs below override", arguments: ["set", "clear", "show"])
    func help(verb: String) async throws {
        let result = try await runLinkcond("override", verb, "--help")
        #expect(result.exitCode == 0)
        let lines = result.standardOutput.split(separator: "\n").filter { !$0.hasPrefix("USAGE") }
        #expect(lines.allSatisfy { $0.count <= 80 })
        try Golden("help-override-\(verb).txt").expect(result.standardOutput)
    }

    @Test("JSON is what the schemas say")
    func schemas() async throws {
        let path = try await runLinkcond("path", "--json")
        // The host may well have no network.
        #expect(path.exitCode == 0 || path.exitCode == 1)
        try await JSONSchema("path").expectValid(path.standardOutput)
        let overrides = try await runLinkcond("override", "show", "--json")
        #expect(overrides.exitCode == 0)
        try await JSONSchema("override").expectValid(overrides.standardOutput)
    }

    @Test("The network of a process that is not there has no path")
    func target() async throws {
        let result = try await runLinkcond("path", "--pid", "2147483647")
        #expect(result.exitCode == 64)
        #expect(result.standardError.contains("there is no such process"))
    }
}

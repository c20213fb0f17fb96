import Foundation
import LinkTesting
import Testing

/// Runs under profiles whose bandwidth is a recorded trace.
@Suite("Run: delivery traces", .requiresNamespaces, .tags(.contrary, .anyKernel))
struct RunTraceTests {
    /// A profile with a trace beside its file, which lets a packet pass each 10 ms: 1.2 Mbit/s.
    private static func withProfile(
        trace: String? = (1...100).map { "\($0 * 10)\n" }.joined(),
        _ body: (_ profile: String, _ directory: String) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            if let trace { _ = try directory.write(trace, to: "down.trace") }
            let profile = try directory.write(
                """
                name: Recorded
                down: { trace: down.trace, delay: 20 ms }
                up: { bandwidth: 10 Mbit/s, delay: 20 ms }
                """, to: "recorded.yaml")
            try shell("chmod -R a+rX \(directory.path)")
            try await body(profile, directory.path)
        }
    }

    @Test(.tags(.paced))
    func `a download is as fast as the trace lets it`() async throws {
        struct Report: Decodable {
            struct End: Decodable {
                struct Sum: Decodable { let bits_per_second: Double }
                let sum_received: Sum
            }
            let end: End
        }
        try await Self.withProfile { profile, _ in
            // From the beginning: what came behind a lost packet is read only when that has come
            // again, and would count for a time in which it did not pass the link.
            let output = try await SandboxedRun(
                profile, "--uplink", "none", "--server", "iperf3 --server --one-off >/dev/null",
                "--server-ready", "5201", "--", "iperf3", "--json", "--version4", "--client",
                "server.linkcond", "--reverse", "--time", "6"
            ).output()
            let report = try JSONDecoder().decode(Report.self, from: Data(output.utf8))
            let ratio = report.end.sum_received.bits_per_second / (1.2e6 * 1448 / 1500)
            #expect((0.7...1.05).contains(ratio), "\(ratio)")
        }
    }

    @Test(arguments: Caller.allCases)
    func `the loopback follows the trace, too`(caller: Caller) async throws {
        try await Self.withProfile { profile, _ in
            let report = try await LoopbackProgram.report(
                [profile], "127.0.0.1", port: 8000, down: 400_000, up: 400_000, by: caller)
            let ratio = try #require(report.down) / (1.2e6 * 1448 / 1500)
            #expect((0.5...1.05).contains(ratio), "\(ratio)")
            #expect(try #require(report.up) > 1.2e6)
        }
    }

    @Test func `a profile is found from anywhere with its trace, and --set names another`()
        async throws
    {
        try await Self.withProfile { profile, directory in
            for (arguments, place) in [
                ([profile], "/"), (["./recorded.yaml"], directory),
                ([profile, "--set", "down.trace=down.trace"], directory),
            ] {
                let result = try await SandboxedRun(
                    arguments: arguments + ["-v", "--uplink", "none", "--", "true"]
                ).result(workingDirectory: place)
                #expect(result.exitCode == 0, "\(result.standardError)")
                #expect(
                    result.standardError.contains(
                        "packet engine: the kernel plays no delivery traces"))
            }
        }
    }

    @Test(
        arguments: [
            (nil, 74, "no such file; down.trace names it"),
            ("", 78, "is empty"),
            ("10\n20\nthirty\n", 78, "line 3: \"thirty\" is not a moment"),
            ("10\n5\n", 78, "line 2: 5 ms comes after 10 ms"),
        ] as [(String?, Int32, String)])
    func `a trace that is missing or wrong ends a run before it begins`(
        trace: String?, exitCode: Int32, reason: String
    ) async throws {
        try await Self.withProfile(trace: trace) { profile, directory in
            let result = try await SandboxedRun(
                profile, "--uplink", "none", "--server", "echo started", "--", "echo", "started"
            ).result()
            #expect(result.exitCode == exitCode)
            #expect(result.standardOutput == "")
            #expect(result.standardError.hasPrefix("linkcond: \(directory)/down.trace: "))
            #expect(result.standardError.contains(reason), "\(result.standardError)")
            #expect(!result.standardError.contains("started"))
        }
    }

    @Test(
        arguments: [
            ("mkfifo down.trace", 74, "is not a regular file"),
            ("ln -s /dev/zero down.trace", 74, "is not a regular file"),
            ("ln -s /dev/stdin down.trace", 74, "is not a regular file"),
            ("truncate -s 8G down.trace", 78, "is larger than 64 MiB"),
            ("mkdir down.trace", 74, "is a directory"),
        ] as [(String, Int32, String)])
    func `a trace that has no end, or waits for somebody, is not begun`(
        make: String, exitCode: Int32, reason: String
    ) async throws {
        try await Self.withProfile(trace: nil) { profile, directory in
            try shell("cd \(directory); \(make)")
            // By a pipe, which a trace that is read would empty.
            let program = try SandboxedRun.program()
            let result = try await runProcess(
                "sh",
                ["-c", "echo mine | { \"$@\"; echo \"code $?\" >&2; cat; }", "sh", program]
                    + ["run", profile, "--uplink", "none", "--", "cat"])
            #expect(result.standardOutput == "mine\n", "\(result)")
            #expect(result.standardError.contains("code \(exitCode)\n"))
            #expect(
                result.standardError.hasPrefix("linkcond: \(directory)/down.trace: \(reason)"),
                "\(result.standardError)")
        }
    }

    @Test func `qdiscs cannot play a trace, and say so`() async throws {
        try await Self.withProfile { profile, _ in
            let result = try await SandboxedRun(
                profile, "--backend", "kernel", "--uplink", "none", "--", "true"
            ).result()
            #expect(result.exitCode == 125)
            #expect(result.standardError.contains("delivery traces"))
        }
    }
}

import Foundation
import LinkTesting
import Testing

/// A network whose name server fails, as programs see it that nobody here wrote.
@Suite("Name server in the middle of a run", .requiresNamespaces, .tags(.anyKernel))
struct RunResolverTests {
    /// A real name server behind the link knows `ok.example`.
    private static func options(_ dns: String, seed: Int = 1) -> [String] {
        [
            "Wi-Fi", "--set", "middle={ dns: \(dns) }", "--seed", "\(seed)", "--uplink", "none",
            "--server",
            "exec dnsmasq --keep-in-foreground --user=root --pid-file= --conf-file=/dev/null --no-resolv "
                + "--no-hosts --address=/ok.example/192.0.2.9 --listen-address=198.18.0.3 "
                + "--bind-interfaces",
            "--server-ready", "53",
        ]
    }

    private static let ask = """
        ask() { dig +tries=1 +time=2 @198.18.0.3 "$@"; }
        status() { ask "$@" | sed -n 's/.*status: \\([A-Z]*\\).*/\\1/p'; }

        """

    @Test(arguments: [
        ("{ nxdomain: [\"*.ads.example\"] }", "NXDOMAIN\n192.0.2.9\n", "unknownNameQuestions", 1),
        ("{ servfail: 100% }", "SERVFAIL\n", "failedQuestions", 2),
        (
            "{ wrong-answer: { address: 203.0.113.7 } }", "NOERROR\n203.0.113.7\n",
            "misledQuestions", 2
        ),
        ("{ truncate: true }", "REFUSED\n192.0.2.9\n", "truncatedQuestions", 2),
        ("down", "", "unansweredPackets", 2),
    ])
    func `dig learns what the middle says, and the statistics count it`(
        dns: String, output: String, counter: String, count: Int
    ) async throws {
        try await RecordingFiles.with { files in
            let result = try await SandboxedRun(
                arguments: Self.options(dns) + files.options + [
                    "--", "sh", "-c",
                    Self.ask + "status a.ads.example; ask +short ok.example | grep -v ';'; true",
                ]
            ).result()
            #expect(result.standardOutput == output, "\(result)")
            let text = try String(contentsOfFile: files.stats, encoding: .utf8)
            try await JSONSchema("statistics").expectValid(text)
            #expect(text.contains("\"\(counter)\" : \(count),"), "\(text)")
            let lost = try files.lines().count { $0["verdict"] == "unanswered" }
            #expect(lost == (dns == "down" ? count : 0))
        }
    }

    @Test func `a cut answer is asked for again by TCP, which passes`() async throws {
        let output = try await SandboxedRun(
            arguments: Self.options("{ truncate: true }") + [
                "--", "sh", "-c", Self.ask + "ask ok.example | grep -E 'TCP|192'",
            ]
        ).output()
        #expect(output.contains("Truncated, retrying in TCP mode"), "\(output)")
        #expect(output.contains("192.0.2.9") && output.contains("(TCP)"), "\(output)")
    }

    @Test func `the same seed fails the same questions`() async throws {
        func statuses(seed: Int) async throws -> String {
            try await SandboxedRun(
                arguments: Self.options("{ servfail: 50% }", seed: seed) + [
                    "--", "sh", "-c",
                    Self.ask + "for i in $(seq 24); do status ok.example; done",
                ]
            ).output()
        }
        let first = try await statuses(seed: 3)
        #expect(first.contains("SERVFAIL") && first.contains("NOERROR"))
        #expect(try await statuses(seed: 3) == first)
        #expect(try await statuses(seed: 4) != first)
    }

    @Test(
        .enabled(if: Self.hostHasNameServer),
        arguments: [
            ("{ wrong-answer: { address: 198.18.0.3 } }", "198.18.0.3\n200 0\n"),
            ("{ nxdomain: \"*.example\" }", "Name or service not known\n000 6\n"),
            ("{ servfail: 100% }", "Temporary failure in name resolution\n000 6\n"),
        ])
    func `the C library and curl learn it as from the network's name server`(
        dns: String, output: String
    ) async throws {
        // Nothing but questions that the middle answers leaves the run.
        let result = try await SandboxedRun(
            arguments: [
                "Wi-Fi", "--set", "middle={ dns: \(dns) }", "--server",
                "python3 -m http.server --bind 0.0.0.0 80 2>/dev/null", "--server-ready", "80",
                "--", "sh", "-c",
                """
                python3 -c '
                import socket
                try: print(socket.getaddrinfo("shop.example", 80)[0][4][0])
                except socket.gaierror as error: print(error.strerror)'
                curl -s -m 20 -o /dev/null -w '%{http_code} ' shop.example; echo $?
                """,
            ]
        ).result()
        #expect(result.standardOutput == output, "\(result)")
    }

    private static let hostHasNameServer =
        ((try? String(contentsOfFile: "/etc/resolv.conf", encoding: .utf8)) ?? "")
        .split(separator: "\n").contains { $0.hasPrefix("nameserver") }

    @Test func `a timeline takes the name server down and up again`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(
                """
                name: Outage
                interfaces: { eth0: { profile: Wi-Fi } }
                timeline:
                  - { at: 1 s, middle: { dns: { servfail: 100% } } }
                  - { at: 3 s, middle: none }
                repeat: { every: 5 s, times: 50 }
                """, to: "outage.yaml")
            var arguments = Self.options("down")
            arguments.replaceSubrange(
                0..<3, with: ["--scenario", directory.path + "/outage.yaml"])
            let output = try await SandboxedRun(
                arguments: arguments + [
                    "--", "sh", "-c",
                    Self.ask + """
                        await() { until [ "$(status ok.example)" = $1 ]; do sleep 0.1; done; }
                        await NOERROR && echo up
                        await SERVFAIL && echo down
                        await NOERROR && echo up
                        """,
                ]
            ).output()
            #expect(output == "up\ndown\nup\n")
        }
    }
}

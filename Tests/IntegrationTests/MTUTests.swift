import Foundation
import LinkTesting
import Testing

/// A link that takes smaller packets than the interface before it, as with a tunnel on the way.
@Suite("MTU of the link", .requiresNamespaces, .tags(.contrary, .anyKernel))
struct MTUTests {
    /// Says what is wrong with the pings of one side to the addresses in `$IPV4` and `$IPV6`.
    private static let pings = """
        says() {
            pattern=$1; shift
            ping -n -c 1 -W 20 "$@" 2>&1 | grep -q "$pattern" || echo "no $pattern: ping $*"
        }
        says "1 received" -M do -s 1252 $IPV4
        says "Frag needed and DF set (mtu = 1280)" -M do -s 1400 $IPV4
        says "mtu[:=] *1280" -M do -s 1400 $IPV6
        says "1 received" -M do -s 1232 $IPV6
        says "1 received" -M dont -s 1400 $IPV4
        says "1 received" -M dont -s 3000 $IPV4
        says "[123] received" -c 3 -i 0.5 -s 3000 $IPV6
        """

    private static let both = ["Wi-Fi", "--set", "down.mtu=1280", "--set", "up.mtu=1280"]

    private static func pings(to ipv4: String, _ ipv6: String) -> [String] {
        ["env", "IPV4=\(ipv4)", "IPV6=\(ipv6)", "sh", "-c", pings]
    }

    @Test func `senders learn what fits, and what may be cut passes`() async throws {
        let output = try await SandboxedRun(
            arguments: Self.both + ["--uplink", "none", "--"]
                + Self.pings(to: "198.18.0.1", "fd6c:696e:6b63::1")
        ).output()
        #expect(output == "")
    }

    @Test func `an interface of a host has it by the engine, both ways`() async throws {
        try await TestNetwork.withEngine { network in
            let applied = try await network.linkcond(["apply", "-v"] + Self.both)
            #expect(applied.exitCode == 0, "\(applied)")
            #expect(
                applied.standardError.contains(
                    "packet engine: an MTU of the link: not on the kernel data plane"),
                "\(applied.standardError)")
            for (namespace, ipv4, ipv6) in [
                (network.app, TestNetwork.serverIPv4, TestNetwork.serverIPv6),
                (network.server, TestNetwork.appIPv4, TestNetwork.appIPv6),
            ] {
                let result = try await runProcess(
                    "ip", ["netns", "exec", namespace] + Self.pings(to: ipv4, ipv6))
                #expect(result.standardOutput == "", "\(result.standardError)")
            }
        }
    }

    @Test func `the log and the capture show what was too large, and the answers`() async throws {
        try await RecordingFiles.with { files in
            let pings = """
                for address in 198.18.0.1 fd6c:696e:6b63::1; do
                    ping -n -c 1 -W 20 -M do -s 1400 $address
                done
                true
                """
            let result = try await SandboxedRun(
                arguments: Self.both + ["--uplink", "none"] + files.options
                    + ["--", "sh", "-c", pings]
            ).result()
            #expect(result.exitCode == 0, "\(result)")
            let log = try files.lines()
            for (verdict, direction) in [("oversized", "up"), ("answer", "down")] {
                let directions = log.filter { $0["verdict"] == verdict }.map { $0["direction"] }
                #expect(directions == [direction, direction], "\(log)")
            }
            let answer = "answer of the link: passes at once"
            #expect(
                try await files.packets(
                    "icmp.mtu", "icmpv6.mtu", "frame.comment", filter: "icmp.mtu || icmpv6.mtu")
                    == [["1280", "", answer], ["", "1280", answer]])
        }
    }

    @Test(arguments: ["-4", "-6"])
    func `transfers both ways find the size that fits`(family: String) async throws {
        for direction in ["--reverse", "--no-delay"] {
            let output = try await SandboxedRun(
                arguments: Self.both + [
                    "--uplink", "none", "--server", "iperf3 --server --one-off >/dev/null",
                    "--server-ready", "5201", "--", "iperf3", "--json", "--client",
                    "server.linkcond", family, direction, "--bytes", "3M",
                ]
            ).output(timeout: .seconds(120))
            struct Report: Decodable {
                struct Start: Decodable { let tcp_mss_default: Int }
                struct End: Decodable {
                    struct Sum: Decodable { let bytes: Int }
                    let sum_received: Sum
                }
                let start: Start
                let end: End
            }
            let report = try JSONDecoder().decode(Report.self, from: Data(output.utf8))
            // They begin with what the interfaces take.
            #expect(report.start.tcp_mss_default > 1280)
            // The client may be done with sending before all has come.
            #expect(report.end.sum_received.bytes > 1 << 20)
        }
    }

    @Test(arguments: [("", "200 500 200 0 "), ("middle={ mss: 1200 }", "200 500 200 1048576 ")])
    func `in a black hole a connection opens, and what is large comes with a clamped MSS only`(
        middle: String, expected: String
    ) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(String(repeating: "s", count: 500), to: "small")
            try directory.write(String(repeating: "l", count: 1 << 20), to: "large")
            let (stats, log) = (directory.path + "/stats.json", directory.path + "/log.csv")
            let result = try await SandboxedRun(
                arguments: [
                    "Wi-Fi", "--set", "down.mtu=1280", "--set", "down.icmp=silent", "--uplink",
                    "none", "--stats", stats, "--log", log,
                ] + (middle.isEmpty ? [] : ["--set", middle]) + [
                    "--server",
                    "python3 -m http.server 8000 --directory \(directory.path) 2>/dev/null",
                    "--server-ready", "8000", "--", "sh", "-c",
                    """
                    get() { curl -4 -s $* -o /dev/null -w '%{http_code} %{size_download} '; }
                    get http://server.linkcond:8000/small
                    get -m \(middle.isEmpty ? 8 : 100) http://server.linkcond:8000/large
                    true
                    """,
                ]
            ).result()
            #expect(result.standardOutput == expected, "\(result)")
            let text = try String(contentsOfFile: stats, encoding: .utf8)
            try await JSONSchema("statistics").expectValid(text)
            let lost = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
                .filter { $0.contains("oversized") }
            #expect(middle.isEmpty ? lost.count >= 2 : lost.isEmpty, "\(lost)")
            #expect(text.contains("\"dropped\" : \(lost.count)"), "\(lost.count): \(text)")
        }
    }
}

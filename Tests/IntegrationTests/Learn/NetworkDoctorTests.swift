import Foundation
import LinkTesting
import Testing

/// `doctor --network` on linkcond's own networks, whose truth is known.
@Suite("What a network does", .requiresNamespaces, .tags(.anyKernel))
struct NetworkDoctorTests {
    /// The name server of a network that does nothing wrong.
    private static let nameServer =
        "exec dnsmasq --keep-in-foreground --user=root --conf-file=/dev/null --no-resolv "
        + "--no-hosts --address=/ipv4only.arpa/192.0.0.170 --local=/arpa/ --local=/invalid/ "
        + "--address=/detectportal.firefox.com/198.18.0.3 --listen-address=198.18.0.3 "
        + "--bind-interfaces --pid-file="

    /// Runs the doctor behind `profile`, and again behind the profile that it wrote.
    private func diagnose(
        _ profile: [String], _ options: [String] = ["--name-server", "198.18.0.3"],
        servers: [String] = ["--server", nameServer, "--server-ready", "53"],
        again: Bool = true, by caller: Caller = .root
    ) async throws -> NetworkReport {
        try await withTemporaryDirectory { directory in
            try shell("chmod 777 \(directory.path)")
            let file = directory.path + "/found.yaml"
            let first = try await Self.run(
                profile + servers, options + ["--output", file], by: caller)
            guard again else { return first }
            // What it wrote does the same.
            let second = try await Self.run([file] + servers, options, by: caller)
            #expect(second.results == first.results)
            return first
        }
    }

    private static func run(
        _ profile: [String], _ options: [String], by caller: Caller
    ) async throws -> NetworkReport {
        let program = try SandboxedRun.program()
        let result = try await SandboxedRun(
            arguments: profile + [
                "--uplink", "none", "--drain", "0 s", "--server",
                "exec \(program) learn --serve --quiet", "--server-ready", "46464", "--",
                program, "doctor", "--network", "server.linkcond", "--json", "--quiet",
            ] + options, by: caller
        ).result()
        #expect(result.exitCode == 0, "\(result.standardError)")
        try await JSONSchema("doctor-network").expectValid(result.standardOutput)
        return try NetworkReport(result.standardOutput)
    }

    private static func middle(_ text: String) -> [String] {
        ["Wi-Fi", "--set", "middle={ \(text) }"]
    }

    @Test(arguments: Caller.allCases)
    func `nothing stands in between, and all is measured`(caller: Caller) async throws {
        // An ordinary user's name server could not have port 53.
        let report = try await diagnose(
            ["Wi-Fi"], caller == .root ? ["--name-server", "198.18.0.3"] : [],
            servers: caller == .root ? ["--server", Self.nameServer, "--server-ready", "53"] : [],
            again: false, by: caller)
        #expect(report["nat"] == "none")
        #expect(report["udp"] == "passes" && report["quic"] == "passes")
        #expect(report["tcp"] == "passes" && report["mss"] == "unchanged")
        #expect(report["mtu-up"] == "full" && report["mtu-down"] == "full")
        #expect(report.check("mss")?.bytes == 1460)
        if caller == .root {
            #expect(report["name-server"] == "answers" && report["wrong-answers"] == "none")
        } else {
            #expect(report["name-server"] == nil && report["portal"] == nil)
        }
    }

    @Test(arguments: ["full-cone", "restricted", "port-restricted", "symmetric"])
    func `the kind of a NAT is found, and comes back`(kind: String) async throws {
        let report = try await diagnose(Self.middle("nat: { kind: \(kind) }"), [], servers: [])
        #expect(report["nat"] == kind && report["nat-rebinding"] == "none")
    }

    /// The TCP connection to the responder does not survive it.
    @Test(arguments: ["full-cone", "port-restricted", "symmetric"])
    func `a NAT that gives new ports all the time is found, and its kind`(
        kind: String
    ) async throws {
        let report = try await diagnose(
            Self.middle("nat: { kind: \(kind), rebind: every 1 s }"), [], servers: [])
        #expect(report["nat"] == kind && report["nat-rebinding"] == "rebinds")
        #expect(report["udp"] == "passes" && report["tcp"] == "passes")
        #expect(report["mtu-up"] == nil && report.problem == nil)
    }

    /// It breaks the connection while the sizes of packets are measured, if not before: both last longer
    /// together than one of its intervals.
    @Test func `a NAT that gives new ports now and then does not end the diagnosis`() async throws {
        let report = try await diagnose(
            Self.middle("nat: { kind: port-restricted, rebind: every 6 s }") + [
                "--set", "up.mtu=1400", "--set", "down.mtu=1380", "--set", "up.icmp=silent",
                "--set", "down.icmp=silent",
            ], [], servers: [], again: false)
        #expect(report["nat"] == "port-restricted" && report["nat-rebinding"] == "rebinds")
        #expect(report.problem == nil)
        // They take four seconds, in which a busy machine may be held up.
        for (check, bytes) in [("mtu-up", 1400), ("mtu-down", 1380)] where report[check] != nil {
            #expect(report[check] == "black-hole" && report.check(check)?.bytes == bytes)
        }
    }

    @Test(arguments: [
        ("block: [udp]", "blocked", "drop"), ("block: [udp], answer: icmp", "blocked", "icmp"),
        ("block: [udp], answer: reset", "blocked", "reset"),
        ("block: [udp/46465]", "partly-blocked", "drop"),
    ])
    func `a firewall for UDP is found, and what it answers`(
        rules: String, result: String, answer: String
    ) async throws {
        let report = try await diagnose(Self.middle("firewall: { \(rules) }"), [], servers: [])
        #expect(report["udp"] == result && report.check("udp")?.answer == answer)
        #expect((report["nat"] == nil) == (result == "blocked"))
    }

    @Test(arguments: ["drop", "reset", "icmp"])
    func `a firewall for QUIC or for TCP is found`(answer: String) async throws {
        // Silence takes its time.
        let report = try await diagnose(
            Self.middle("firewall: { block: [quic, tcp/46465], answer: \(answer) }"), [],
            servers: [], again: answer != "drop")
        #expect(report["udp"] == "passes" && report["quic"] == "blocked")
        #expect(report.check("quic")?.answer == answer)
        #expect(report["tcp"] == "partly-blocked" && report.check("tcp")?.answer == answer)
    }

    @Test func `a captive portal explains why nobody answers`() async throws {
        let report = try await diagnose(
            Self.middle("captive-portal: { until: click }"), [], servers: [])
        #expect(report["portal"] == "redirect")
        #expect(report["responder"] == nil && report.problem?.isEmpty == false)
    }

    @Test(arguments: [
        ("{ servfail: 40% }", "name-server", "servfail"),
        ("{ nxdomain: \"*\" }", "name-server", "nxdomain"),
        ("{ truncate: true }", "name-server", "truncated"),
        ("{ wrong-answer: { address: 198.18.0.3 } }", "wrong-answers", "wrong"),
        ("down", "name-server", "down"),
    ])
    func `a name server that fails or lies is found`(
        dns: String, check: String, result: String
    ) async throws {
        let report = try await diagnose(
            Self.middle("dns: \(dns)"), again: result != "servfail")
        #expect(report[check] == result)
        #expect(report["udp"] == "passes")
    }

    @Test(arguments: [("ipv4", "ipv4"), ("ipv6", "ipv6"), ("nat64", "ipv6")])
    func `a network of one family is found, and its translator`(
        family: String, addresses: String
    ) async throws {
        let place = family == "ipv4" ? "198.18.0.3" : "fd6c:696e:6b63::3"
        let nameServer = Self.nameServer.replacing(
            "listen-address=198.18.0.3", with: "listen-address=\(place)")
        let report = try await diagnose(
            Self.middle("family: \(family)"), ["--name-server", place],
            servers: ["--server", nameServer, "--server-ready", "53"])
        #expect(report["addresses"] == addresses)
        #expect(report["nat64"] == (family == "nat64" ? "present" : "absent"))
        #expect(report["udp"] == "passes" && report["nat"] == "none")
    }

    /// Without smaller segments, no full one of a connection gets through where nobody tells.
    @Test(arguments: [("answered", 1200), ("silent", 1200), ("silent", 1460)])
    func `segment sizes and MTUs are found, and whether somebody tells`(
        icmp: String, mss: Int
    ) async throws {
        let report = try await diagnose(
            Self.middle("mss: \(mss)") + [
                "--set", "up.mtu=1400", "--set", "down.mtu=1380", "--set", "up.icmp=\(icmp)",
                "--set", "down.icmp=\(icmp)",
            ], [], servers: [])
        #expect(report["mss"] == (mss < 1460 ? "clamped" : "unchanged"))
        #expect(report.check("mss")?.bytes == mss)
        #expect(report.check("mtu-up")?.bytes == 1400)
        #expect(report.check("mtu-down")?.bytes == 1380)
        let found = icmp == "silent" ? "black-hole" : "told"
        #expect(report["mtu-up"] == found && report["mtu-down"] == found)
    }
}

/// The output of `doctor --network --json`.
struct NetworkReport: Decodable {
    struct Check: Decodable {
        let name: String
        let result: String?
        let answer: String?
        let bytes: Int?
    }

    let checks: [Check]
    let problem: String?

    init(_ text: String) throws {
        self = try JSONDecoder().decode(NetworkReport.self, from: Data(text.utf8))
    }

    func check(_ name: String) -> Check? { checks.first { $0.name == name } }

    /// The result of a check; nil if it was not measurable.
    subscript(_ name: String) -> String? { check(name)?.result }

    var results: [String] {
        checks.map { check in
            let bytes = check.bytes.map { " \($0)" } ?? ""
            return "\(check.name): \(check.result ?? "-") \(check.answer ?? "-")\(bytes)"
        }
    }
}

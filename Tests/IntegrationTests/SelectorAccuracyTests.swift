import Foundation
import KernelPlane
import LinkTesting
import Testing

/// Which traffic a selector conditions: what it chooses takes its time, and nothing else does.
///
/// The conditions delay 300 ms up and 500 ms down, so that an exchange shows which of its ways
/// were chosen.
@Suite("Selectors", .serialized, .requiresDataPlane, .tags(.measure, .long))
struct SelectorAccuracyTests {
    private static let near = TestNetwork.appIPv4
    private static let v4 = TestNetwork.serverIPv4
    private static let v6 = TestNetwork.serverIPv6
    /// Further addresses of the server.
    private static let other4 = "192.0.2.3"
    private static let other6 = "2001:db8::3"

    /// Runs `body` with a network whose server has two addresses of each family.
    private static func with(_ body: (TestNetwork) async throws -> Void) async throws {
        try await TestNetwork.with { network in
            try await network.batch(
                """
                addr add \(other4)/24 dev eth0
                addr add \(other6)/64 dev eth0 nodad
                """, in: network.server)
            try await body(network)
        }
    }

    /// Applies the delays with more options.
    private static func apply(
        _ network: TestNetwork, _ options: [String], environment: [String] = []
    ) async throws {
        let result = try await network.run(
            "env",
            environment + [try TestNetwork.program(), "apply", "baseline.yaml".absoluteFixture]
                + ["--set", "up.delay=300 ms", "--set", "down.delay=500 ms"] + options)
        #expect(result.exitCode == 0, "\(result.standardError)")
    }

    /// The times of exchanges in milliseconds.
    private static func times(
        _ network: TestNetwork, _ exchanges: [String]
    ) async throws -> [String: Double] {
        // The distribution's own, where it stands: wrappers of it take seconds to start in the lab.
        let python = "/usr/bin/python3"
        let result = try await runProcess(
            FileManager.default.isExecutableFile(atPath: python) ? python : "python3",
            ["exchanges.py".absoluteFixture, network.app, network.server] + exchanges)
        guard result.exitCode == 0 else {
            throw TestNetwork.Failure("exchanges.py failed: \(result.standardError)")
        }
        return try JSONDecoder().decode(
            [String: Double?].self, from: Data(result.standardOutput.utf8)
        ).compactMapValues { $0 }
    }

    /// Expects that some exchanges take both delays, and others none.
    ///
    /// A connection takes two round trips, of which the first counts for the lower bound.
    private static func expect(
        _ network: TestNetwork, _ occasion: String, chosen: [String], left: [String],
        milliseconds: ClosedRange<Double> = 800...1500
    ) async throws {
        let times = try await times(network, chosen + left)
        for exchange in chosen {
            let upper = milliseconds.upperBound * (exchange.contains("tcp") ? 2 : 1)
            #expect(
                times[exchange].map { $0 >= milliseconds.lowerBound && $0 < upper } == true,
                "\(occasion): \(exchange) took \(String(describing: times[exchange])) ms")
        }
        // Less than any of the delays by far, whatever else the machine does.
        for exchange in left {
            #expect(
                times[exchange].map { $0 < 250 } == true,
                "\(occasion): \(exchange) took \(String(describing: times[exchange])) ms")
        }
    }

    @Test("Addresses, ports, protocols and exceptions choose both ways, over IPv4 and IPv6")
    func choices() async throws {
        try await Self.with { network in
            let cases: [(options: [String], chosen: [String], left: [String])] = [
                (
                    ["--to", Self.v4, "--to", "2001:db8::2/127"],
                    [
                        "ping@\(Self.v4)", "bigping@\(Self.v4)", "udp@\(Self.v4):7000",
                        "tcp@\(Self.v4):7001", "closed@\(Self.v4):7009", "bigudp@\(Self.v6):7000",
                        "ping@\(Self.other6)",
                    ], ["ping@\(Self.other4)", "tcp@\(Self.other4):7001"]
                ),
                (
                    ["--port", "7000-7009", "--protocol", "udp"],
                    [
                        "udp@\(Self.v4):7000", "bigudp@\(Self.v4):7001", "bigudp@\(Self.v6):7009",
                        "udp@\(Self.v6):7001", "closed@\(Self.v4):7008", "closed@\(Self.v6):7008",
                    ],
                    [
                        "udp@\(Self.v4):7010", "udp@\(Self.v6):6999", "tcp@\(Self.v4):7001",
                        "bigping@\(Self.v6)", "ping@\(Self.v4)", "closed@\(Self.v4):7011",
                    ]
                ),
                (
                    ["--port", "53"],
                    [
                        "tcp@\(Self.v4):53", "tcp@\(Self.v6):53", "udp@\(Self.v4):53",
                        "udp@\(Self.v6):53",
                    ], ["udp@\(Self.v4):5353", "tcp@\(Self.v6):530", "bigping@\(Self.v4)"]
                ),
                (
                    ["--protocol", "icmp", "--except", "to=\(Self.other4)"],
                    ["ping@\(Self.v4)", "bigping@\(Self.v4)", "bigping@\(Self.v6)"],
                    ["ping@\(Self.other4)", "udp@\(Self.v4):7000", "bigudp@\(Self.v6):7000"]
                ),
                (
                    ["--except", "port=7000", "--except", "to=\(Self.other4)"],
                    [
                        "udp@\(Self.v4):7001", "ping@\(Self.v6)", "bigping@\(Self.v4)",
                        "bigudp@\(Self.v6):7001", "closed@\(Self.v6):7009",
                    ],
                    [
                        "udp@\(Self.v4):7000", "tcp@\(Self.v6):7000", "bigudp@\(Self.v6):7000",
                        "bigudp@\(Self.other4):7002",
                    ]
                ),
                (
                    ["--family", "ipv6", "--from", "2001:db8::/64"], ["ping@\(Self.v6)"],
                    ["ping@\(Self.v4)"]
                ),
            ]
            for (options, chosen, left) in cases {
                try await Self.apply(network, options + ["--replace"])
                try await Self.expect(
                    network, options.joined(separator: " "), chosen: chosen, left: left)
            }
        }
    }

    @Test(
        "A range of ports and a list of addresses choose what is inside, its ends too, and no more",
        arguments: ["nftables", "clsact"])
    func wide(hooks: String) async throws {
        try await Self.with { network in
            // On the kernel's data plane this has no meaning.
            let environment = ["LINKCOND_ENGINE_HOOKS=\(hooks)"]
            try await Self.apply(
                network, ["--to-port", "1025-65534"], environment: environment)
            try await Self.expect(
                network, "range",
                chosen: [Self.v4, Self.v6].flatMap { address in
                    [
                        "udp@\(address):1025", "udp@\(address):65534", "tcp@\(address):1026",
                        "bigudp@\(address):7000", "closed@\(address):7009",
                    ]
                },
                left: [Self.v4, Self.v6].flatMap { address in
                    [
                        "udp@\(address):1024", "udp@\(address):65535", "tcp@\(address):53",
                        "bigudp@\(address):1023", "closed@\(address):1000", "ping@\(address)",
                    ]
                })
            let found = try await network.status().conditioned.first
            #expect(found?.selectors == ["--to-port 1025-65534"])

            // The other way: ports of this end.
            let inbound = (1024...1026).map { "inbound@\(Self.near):\($0):\(40_000 + $0)" }
            try await Self.apply(
                network, ["--from-port", "1025-20000", "--replace"], environment: environment)
            try await Self.expect(network, "inbound", chosen: [], left: [inbound[0]])
            let times = try await Self.times(network, Array(inbound.dropFirst()))
            #expect(inbound.dropFirst().allSatisfy { times[$0] ?? 0 >= 800 }, "\(times)")

            // A hundred addresses, of which the server has one of each version.
            let others = (1...49).flatMap {
                ["--to", "198.51.100.\($0)", "--to", "2001:db8:7::\($0)"]
            }
            try await Self.apply(
                network,
                ["--replace", "--to", Self.v4, "--to", Self.v6, "--except", "to-port=7000-7003"]
                    + others, environment: environment)
            try await Self.expect(
                network, "addresses",
                chosen: [Self.v4, Self.v6].flatMap {
                    ["ping@\($0)", "udp@\($0):6999", "udp@\($0):7004", "bigping@\($0)"]
                },
                left: [
                    "ping@\(Self.other4)", "ping@\(Self.other6)", "udp@\(Self.v4):7000",
                    "udp@\(Self.v6):7003", "tcp@\(Self.v6):7001",
                ])
            try await network.mustRun("clear")
        }
    }

    @Test("Ports of either end alone, seen from an app that serves")
    func serving() async throws {
        try await Self.with { network in
            let inbound = ["inbound@\(Self.near):7022:40022", "inbound@\(Self.near):7023:40023"]
            try await Self.apply(network, ["--from-port", "7022"])
            try await Self.expect(
                network, "--from-port", chosen: [], left: [inbound[1], "tcp@\(Self.v4):7022"])
            let times = try await Self.times(network, [inbound[0]])
            #expect(times[inbound[0]] ?? 0 >= 800)
            try await Self.apply(network, ["--to-port", "7022", "--replace"])
            // From another port: the former connection may still be about to end.
            try await Self.expect(
                network, "--to-port", chosen: ["tcp@\(Self.v4):7022"],
                left: ["inbound@\(Self.near):7022:40024"])
        }
    }

    @Test("Two names stand side by side; each chosen packet gets the first that chooses it")
    func sideBySide() async throws {
        try await Self.with { network in
            try await Self.apply(network, [])
            try await Self.apply(
                network,
                ["--name", "slow", "--to", Self.other4, "--set", "up.delay=1500 ms"])
            let (ordinary, slow) = ("ping@\(Self.v4)", "ping@\(Self.other4)")
            let times = try await Self.times(network, [ordinary, slow])
            #expect((800..<1900) ~= times[ordinary] ?? 0, "\(times)")
            #expect((2000..<3000) ~= times[slow] ?? 0, "\(times)")

            try await network.mustRun("clear", "--name", "default")
            try await Self.expect(
                network, "slow alone", chosen: [slow], left: [ordinary],
                milliseconds: 2000...3000)
            let names = try await network.status().conditioned.map(\.name)
            #expect(names == ["slow"])
        }
    }

    @Test("The caller's SSH session is spared, also where sudo hides it, unless that is refused")
    func sshGuard() async throws {
        try await Self.with { network in
            let session = "inbound@\(Self.near):7022:40022"
            let variable = "SSH_CONNECTION=\(Self.v4) 40022 \(Self.near) 7022"
            try await Self.apply(network, [], environment: [variable])
            try await Self.expect(
                network, "guarded", chosen: ["ping@\(Self.v4)"], left: [session])
            let found = try await network.status().conditioned.first
            #expect(
                found?.selectors == [
                    "--except to=\(Self.v4),from=\(Self.near),to-port=40022,from-port=7022,"
                        + "protocol=tcp"
                ])

            // Only a shell further up knows of the session.
            let hidden = try await network.run(
                "env",
                [
                    variable, "sh", "-c", #"env -u SSH_CONNECTION "$0" "$@"; exit $?"#,
                    try TestNetwork.program(), "apply", "100%-loss", "--replace",
                ])
            #expect(hidden.exitCode == 0, "\(hidden.standardError)")
            #expect(
                hidden.standardError.hasPrefix(
                    "note: nothing passes from now on; this opens the line again: "
                        + "sudo linkcond clear\n"))
            try await Self.expect(network, "hidden", chosen: [], left: [session])

            try await Self.apply(
                network, ["--replace", "--no-ssh-guard"], environment: [variable])
            #expect(try await Self.times(network, [session])[session] ?? 0 >= 800)
        }
    }

    @Test("What is left alone takes no longer than without conditions")
    func untouched() async throws {
        try await Self.with { network in
            // Of so many some meet an idle processor, however busy the machine is.
            let before = try await network.shortestRoundTrip(to: Self.other4, count: 100)
            for number in 1...5 {
                try await Self.apply(
                    network,
                    ["--name", "n\(number)", "--to", Self.v4, "--port", "\(7000 * number)"])
            }
            let after = try await network.shortestRoundTrip(to: Self.other4, count: 100)
            #expect(after < before + 0.1, "\(before) ms became \(after) ms")
        }
    }

    @Test("A delay of DNS takes questions to port 53 alone, over UDP and TCP, IPv4 and IPv6")
    func dns() async throws {
        try await Self.with { network in
            let asked = ["udp@\(Self.v4):53", "udp@\(Self.v6):53"]
            let connected = ["tcp@\(Self.v4):53", "tcp@\(Self.v6):53"]
            let left = [
                "udp@\(Self.v4):54", "tcp@\(Self.v6):54", "ping@\(Self.v6)",
                "inbound@\(Self.near):53:40053",
            ]
            try await network.mustRun(
                "apply", "baseline.yaml".absoluteFixture, "--set", "dns.delay=600 ms")
            try await Self.expect(
                network, "DNS", chosen: asked, left: left, milliseconds: 600...1500)
            // The connection is asked for first, and then the question follows.
            try await Self.expect(
                network, "DNS over TCP", chosen: connected, left: [], milliseconds: 1200...1500)
        }
    }

    @Test("Packets with a VLAN tag are conditioned on the card that they cross", .requiresVLANs)
    func vlan() async throws {
        try await Self.with { network in
            for (namespace, number) in [(network.app, 1), (network.server, 2)] {
                try await network.batch(
                    """
                    link add link eth0 name eth0.10 type vlan id 10
                    link set eth0.10 addrgenmode none up
                    addr add 198.51.100.\(number)/24 dev eth0.10
                    addr add 2001:db8:10::\(number)/64 dev eth0.10 nodad
                    """, in: namespace)
            }
            let tagged = [
                "ping@198.51.100.2", "bigudp@198.51.100.2:7000", "udp@2001:db8:10::2:7000",
                "tcp@2001:db8:10::2:7001",
            ]
            try await Self.apply(network, [])
            try await Self.expect(network, "all", chosen: tagged, left: [])
            try await Self.apply(network, ["--replace", "--port", "7000"])
            try await Self.expect(
                network, "--port 7000", chosen: [tagged[1], tagged[2]],
                left: [tagged[0], tagged[3], "ping@\(Self.v4)"])
        }
    }
}

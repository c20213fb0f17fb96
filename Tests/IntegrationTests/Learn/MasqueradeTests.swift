import Foundation
import LinkTesting
import Testing

/// `doctor --network` behind NATs that nobody here wrote: those of Linux.
@Suite(
    "The kind of Linux's NAT", .requiresNamespaces, .requiresInstalled("nft"), .tags(.anyKernel))
struct MasqueradeTests {
    /// A client, a router with `rules`, and a server with two addresses.
    private final class Network: Sendable {
        let client, router, server: TestNamespace

        init(rules: String) throws {
            client = try TestNamespace()
            router = try TestNamespace()
            server = try TestNamespace()
            try router.shell(
                """
                set -e
                ip link set lo up
                ip link add inside type veth peer name eth0 netns \(client.path)
                ip link add outside type veth peer name eth0 netns \(server.path)
                for end in inside outside; do ip link set $end up; done
                ip address add 10.99.0.1/24 dev inside
                ip address add 203.0.113.1/24 dev outside
                echo 1 >/proc/sys/net/ipv4/ip_forward
                \(rules)
                """)
            try client.shell(
                """
                set -e
                ip link set lo up; ip link set eth0 up
                ip address add 10.99.0.2/24 dev eth0
                ip route add default via 10.99.0.1
                """)
            try server.shell(
                """
                set -e
                ip link set lo up; ip link set eth0 up
                ip address add 203.0.113.2/24 dev eth0
                ip address add 203.0.113.3/24 dev eth0
                ip route add default via 203.0.113.1
                """)
        }

        /// What the doctor says at the client.
        func report() async throws -> NetworkReport {
            let program = try SandboxedRun.program()
            let result = try await runProcess(
                "sh",
                [
                    "-c",
                    """
                    \(server.entering) "$0" learn --serve --quiet &
                    trap 'kill $!' EXIT
                    for round in $(seq 300); do
                        \(server.entering) ss -Hltn sport = 46464 | grep -q . && break
                        sleep 0.1
                    done
                    \(client.entering) "$0" doctor --network 203.0.113.2 --json --quiet
                    """, program,
                ])
            #expect(result.exitCode == 0, "\(result.standardError)")
            return try NetworkReport(result.standardOutput)
        }
    }

    private static func table(_ how: String) -> String {
        """
        nft add table ip nat
        nft add chain ip nat out '{ type nat hook postrouting priority srcnat; }'
        nft add rule ip nat out oifname outside \(how)
        """
    }

    @Test(arguments: [
        // It keeps the port, and an unasked packet from another port does not get in.
        ("masquerade", "port-restricted"), ("masquerade random", "symmetric"),
        ("masquerade fully-random", "symmetric"), ("snat to 203.0.113.1", "port-restricted"),
    ])
    func `masquerading is told for what it is`(how: String, kind: String) async throws {
        let report = try await Network(rules: Self.table(how)).report()
        #expect(report["nat"] == kind, "\(report.results)")
        #expect(report["udp"] == "passes" && report["mtu-up"] == "full")
    }

    @Test(arguments: [
        ("true", "none"),
        (
            """
            nft add table ip wall
            nft add chain ip wall pass '{ type filter hook forward priority filter; policy drop; }'
            nft add rule ip wall pass ct state established,related accept
            nft add rule ip wall pass iifname inside accept
            """, "filtered"
        ),
    ])
    func `no NAT is told from a stateful firewall`(rules: String, result: String) async throws {
        let report = try await Network(rules: rules).report()
        #expect(report["nat"] == result, "\(report.results)")
    }
}

import LinkTesting
import Testing

/// Which interfaces `apply` takes when none is named.
@Suite("Default routes of a host", .requiresDataPlane, .tags(.contrary))
struct DefaultRouteTests {
    /// Conditions a host with one more interface, `wwan0`, and these routes as well.
    private func conditioned(
        _ routes: String, _ body: (TestNetwork, ProcessResult) async throws -> Void
    ) async throws {
        try await TestNetwork.withEngine { network in
            try await network.batch(
                """
                link add wwan0 type veth peer name wwan1
                link set wwan0 addrgenmode none up
                link set wwan1 addrgenmode none up
                addr add 198.51.100.1/24 dev wwan0
                addr add 2001:db8:1::1/64 dev wwan0 nodad
                """, in: network.app)
            let script = routes.split(separator: "\n").map { "ip \($0)" }.joined(separator: "\n")
            let made = try await network.run("sh", ["-ec", script])
            try #require(made.exitCode == 0, "\(made)")
            let result = try await network.linkcond("apply", "LTE", "--backend", "engine")
            try await body(network, result)
            try await network.mustRun("clear")
            try await network.batch("link del wwan0", in: network.app)
        }
    }

    @Test(arguments: [
        // Each family over another interface.
        "-6 route add default via 2001:db8:1::2 dev wwan0",
        // One route with two paths.
        """
        route replace default nexthop via 192.0.2.2 dev eth0 nexthop via 198.51.100.2 dev wwan0
        """,
        // The same with IPv6, which may be two routes to the kernel.
        """
        route del default
        -6 route add default nexthop via 2001:db8::2 dev eth0 nexthop via 2001:db8:1::2 dev wwan0
        """,
    ])
    func `all interfaces that carry one are conditioned, and named`(_ routes: String) async throws {
        try await conditioned(routes) { network, result in
            #expect(result.exitCode == 0, "\(result)")
            let conditioned = try await network.status().conditioned
            #expect(conditioned.map(\.interface).sorted() == ["eth0", "wwan0"])
            #expect(result.standardError.contains("default routes lead over eth0 and wwan0"))
            #expect(result.standardError.contains("wwan0: apple/LTE"), "\(result)")
        }
    }

    @Test func `one that only stands by is left alone`() async throws {
        let routes = "route add default via 198.51.100.2 dev wwan0 metric 700"
        try await conditioned(routes) { network, result in
            #expect(result.exitCode == 0, "\(result)")
            let conditioned = try await network.status().conditioned
            #expect(conditioned.map(\.interface) == ["eth0"])
            #expect(!result.standardError.contains("default routes"), "\(result)")
        }
    }

    @Test func `a verb that takes one interface asks which`() async throws {
        try await conditioned("-6 route add default via 2001:db8:1::2 dev wwan0") { network, _ in
            try await network.mustRun("clear")
            for verb in [["play", "elevator"], ["trace", "record", "x"]] {
                let result = try await network.run(
                    "timeout", ["-k", "1", "20", try TestNetwork.program()] + verb)
                #expect(result.exitCode == 64, "\(verb): \(result)")
                #expect(
                    result.standardError.contains("default routes lead over eth0 and wwan0"),
                    "\(verb): \(result)")
            }
        }
    }
}

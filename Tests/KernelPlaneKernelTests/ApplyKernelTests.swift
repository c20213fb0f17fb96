import Catalog
import DataPlane
import KernelPlane
import LinkModel
import LinkTesting
import LinkUnits
import Netlink
import Testing
import TrafficControl

@Suite("Applying, status and clearing", .requiresConditioning)
struct ApplyKernelTests {
    private static let names = SampleConditions.all.map(\.name)

    private static func check(_ host: TestHost, _ request: ApplyRequest) throws {
        let before = try host.picture()
        let plans = try host.kernel.apply(request).plans
        #expect(plans.map(\.interface.name) == request.interfaces)
        try host.expectStatus(of: request)
        #expect(try host.kernel.clear(request.interfaces) == request.interfaces)
        try host.expectUnchanged(since: before, request.profile)
        #expect(try host.kernel.status().isEmpty)
    }

    @Test("Every built-in profile is told by status as it was applied, and leaves no trace")
    func builtInProfiles() async throws {
        try await TestHost.run { host in
            for profile in ProfileCatalog.builtIn where profile.conditions.needsKernelPlane {
                try Self.check(host, TestHost.request(profile.conditions, profile.name))
            }
        }
    }

    @Test("Every kind of conditions is told by status as it was applied, and leaves no trace")
    func samples() async throws {
        try await TestHost.run { host in
            for (name, conditions) in SampleConditions.all {
                try Self.check(host, TestHost.request(conditions, name))
                for direction in Direction.allCases {
                    try Self.check(
                        host, TestHost.request(conditions, name, directions: [direction]))
                }
            }
        }
    }

    @Test("Random conditions are told by status as they were applied, and leave no trace")
    func randomConditions() async throws {
        try await TestHost.run { host in
            var random = SeededGenerator(seed: 51)
            for _ in 0..<60 {
                try Self.check(host, TestHost.request(SampleConditions.random(&random)))
            }
        }
    }

    @Test("From any kind of conditions to any other: status tells the new one")
    func allPairs() async throws {
        try await TestHost.runUnchanged { host in
            try host.kernel.apply(TestHost.request("perfect"))
            for old in Self.names {
                for new in Self.names {
                    try host.kernel.apply(TestHost.request(old, replaces: true))
                    let request = TestHost.request(new, replaces: true)
                    try host.kernel.apply(request)
                    try host.expectStatus(of: request)
                }
            }
            try host.kernel.clear(["eth0"])
        }
    }

    @Test("Directions are added and taken away by a replacement")
    func directions() async throws {
        try await TestHost.runUnchanged { host in
            let choices: [[Direction]] = [[.up], [.down], [.up, .down]]
            try host.kernel.apply(TestHost.request("asymmetric"))
            for old in choices {
                for new in choices {
                    for directions in [old, new] {
                        let request = TestHost.request(
                            "asymmetric", directions: directions, replaces: true)
                        try host.kernel.apply(request)
                        try host.expectStatus(of: request)
                    }
                }
            }
            try host.kernel.clear(nil)
        }
    }

    @Test("Several interfaces are conditioned together and cleared one by one")
    func severalInterfaces() async throws {
        try await TestHost.runUnchanged(interfaces: 3) { host in
            let request = TestHost.request("lte", interfaces: ["eth0", "eth1", "eth2"])
            try host.kernel.apply(request)
            try host.expectStatus(of: request)
            #expect(try host.kernel.clear(["eth1"]) == ["eth1"])
            #expect(try host.kernel.status().map(\.interface) == ["eth0", "eth2"])
            #expect(try host.kernel.clear(["eth1"]).isEmpty)
            #expect(try host.kernel.clear(nil) == ["eth0", "eth2"])
        }
    }

    @Test("An interface that is named twice is conditioned once")
    func repetition() async throws {
        try await TestHost.runUnchanged { host in
            let report = try host.kernel.apply(
                TestHost.request("lte", interfaces: ["eth0", "eth0"]))
            #expect(report.plans.count == 1)
            try host.kernel.clear(["eth0", "eth0"])
        }
    }

    @Test("Without a name the interface with the default route is conditioned")
    func defaultRoute() async throws {
        try await TestHost.run(interfaces: 2) { host in
            try shell(
                "ip addr add 192.0.2.1/24 dev eth1 && ip route add default via 192.0.2.9 dev eth1")
            try host.kernel.apply(TestHost.request("lte", interfaces: []))
            #expect(try host.kernel.status().map(\.interface) == ["eth1"])
        }
    }

    @Test("Clearing where nothing is conditioned does nothing")
    func clearNothing() async throws {
        try await TestHost.runUnchanged { host in
            for names in [nil, ["eth0"]] {
                let cleared = try host.kernel.clear(names)
                #expect(cleared.isEmpty)
            }
        }
    }

    @Test("A plan is what apply would do, and does nothing")
    func plan() async throws {
        try await TestHost.runUnchanged { host in
            let request = TestHost.request("asymmetric")
            let plans = try host.kernel.plan(request)
            try host.expectUnchanged(since: try host.picture())
            #expect(try host.kernel.apply(request).plans == plans)
            try host.kernel.clear(nil)
        }
    }

    @Test("The printed commands do the same as apply")
    func commands() async throws {
        for name in [
            "asymmetric", "jitter-normal", "bursts", "duplicate-with-bandwidth", "reorder",
        ] {
            let commands = try await withNewNamespace {
                try TestHost().kernel.apply(TestHost.request(name)).plans
                    .flatMap(\.allOperations).map(\.commandText)
            }
            try await TestHost.run { host in
                try shell((["set -e"] + commands).joined(separator: "\n"))
                let request = TestHost.request(name)
                try host.expectStatus(of: request)
                #expect(try host.kernel.clear(nil) == ["eth0"])
            }
        }
    }

    @Test("An ifb of ours says nothing by itself")
    func silence() async throws {
        try await TestHost.run { host in
            try host.kernel.apply(TestHost.request("delay-only"))
            let addresses = try shell("cat /proc/net/if_inet6 2>/dev/null || true")
            #expect(!addresses.contains("lcu"))
            #expect(!addresses.contains("lcd"))
        }
    }

    // MARK: Traffic

    /// Sends datagrams out of eth0 to somebody who is known to be there.
    private static func send(_ count: Int) throws {
        try shell(
            """
            ip addr replace 192.0.2.1/24 dev eth0
            ip neigh replace 192.0.2.2 lladdr 02:00:00:00:00:02 dev eth0
            exec bash -c 'for ((i = 0; i < \(count); i++)); do echo >/dev/udp/192.0.2.2/9; done'
            """)
    }

    private static func up(_ host: TestHost) throws -> DirectionCounters {
        try #require(try host.kernel.status().first?.directions[.up]?.counters)
    }

    @Test("A replacement keeps the packets under way")
    func packetsStay() async throws {
        try await TestHost.run { host in
            let slow = DirectionConditions(delay: .seconds(60))
            try host.kernel.apply(TestHost.request(LinkConditions(down: slow, up: slow)))
            try Self.send(10)
            #expect(try Self.up(host).queuedPackets == 10)
            for (name, conditions) in SampleConditions.all {
                try host.kernel.apply(TestHost.request(conditions, name, replaces: true))
                #expect(try Self.up(host).queuedPackets == 10, "\(name)")
            }
        }
    }

    @Test("Losses and drops of a full queue are counted apart")
    func counters() async throws {
        try await TestHost.run { host in
            try host.kernel.apply(TestHost.request("blackhole"))
            try Self.send(10)
            #expect(try Self.up(host).lost == 10)
            #expect(try Self.up(host).dropped == 0)
            try host.kernel.clear(nil)

            let narrow = DirectionConditions(
                bandwidth: .bitsPerSecond(8), loss: .random(.one), queue: .packets(3))
            try host.kernel.apply(TestHost.request(LinkConditions(up: narrow)))
            try Self.send(10)
            let counters = try Self.up(host)
            #expect(counters.dropped == 7)
            #expect(counters.lost == 0)
            #expect(counters.queuedPackets == 3)
        }
    }
}

extension LinkConditions {
    /// Whether the kernel data plane has to be able to do it.
    fileprivate var needsKernelPlane: Bool { down.trace == nil && up.trace == nil }
}

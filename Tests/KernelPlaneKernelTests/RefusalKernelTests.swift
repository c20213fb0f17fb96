import DataPlane
import LinkModel
import LinkTesting
import LinkUnits
import Netlink
import Testing
import TrafficControl

@testable import KernelPlane

@Suite("Requests that are refused", .requiresConditioning)
struct RefusalKernelTests {
    /// Expects that `request` is refused and changes nothing; returns what is said.
    private static func refusal(
        _ request: ApplyRequest, prepare: @escaping @Sendable (TestHost) throws -> Void = { _ in }
    ) async throws -> String {
        try await withNewNamespace {
            let host = try TestHost()
            try prepare(host)
            let before = try host.picture()
            var texts: [String] = []
            let attempts: [(ApplyRequest) throws -> Void] = [
                { _ = try host.kernel.plan($0) }, { _ = try host.kernel.apply($0) },
            ]
            for attempt in attempts {
                do {
                    try attempt(request)
                    Issue.record("nothing was refused")
                } catch {
                    texts.append("\(error)")
                }
            }
            #expect(texts.first == texts.last, "a plan fails as apply does")
            try host.expectUnchanged(since: before)
            return texts.last ?? ""
        }
    }

    /// The interfaces as messages list them: the kernel may have some in every namespace, as `tunl0`
    /// since somebody made a tunnel.
    private static func known() async throws -> String {
        try await withNewNamespace {
            _ = try TestHost()
            return try shell("ip -o link | cut -d : -f 2 | cut -d @ -f 1 | paste -s -d ,")
                .replacing(" ", with: "").replacing(",", with: ", ").replacing("\n", with: "")
        }
    }

    private static func setDown(_ host: TestHost) throws {
        try shell("ip link set eth0 down")
    }

    @Test("An interface that is down")
    func down() async throws {
        #expect(
            try await Self.refusal(TestHost.request("lte"), prepare: Self.setDown)
                == "eth0: the interface is down; bring it up with: ip link set eth0 up")
    }

    @Test("An interface that does not exist, with those that do")
    func unknown() async throws {
        #expect(
            try await Self.refusal(TestHost.request("lte", interfaces: ["wlan9"]))
                == "wlan9: no such interface (have: \(Self.known()))")
    }

    @Test("A name that no interface can have")
    func impossibleNames() async throws {
        for name in ["", "abcdefghijklmnop", "eth0/1", String(repeating: "x", count: 5000)] {
            #expect(
                try await Self.refusal(TestHost.request("lte", interfaces: [name]))
                    == "\(name): no such interface (have: \(Self.known()))")
        }
    }

    @Test("One interface that does not exist among others that do")
    func partlyUnknown() async throws {
        #expect(
            try await Self.refusal(TestHost.request("lte", interfaces: ["eth0", "wlan9"]))
                .hasPrefix("wlan9: no such interface"))
    }

    @Test("Our own ifb, and it is not among the known interfaces")
    func ownIFB() async throws {
        let apply: @Sendable (TestHost) throws -> Void = { host in
            try host.kernel.apply(TestHost.request("lte"))
        }
        try await withNewNamespace {
            let host = try TestHost()
            try apply(host)
            let name = Ownership.ifb(of: try host.interface().index, .up).name
            let error = #expect(throws: KernelPlaneError.self) {
                try host.kernel.apply(TestHost.request("lte", interfaces: [name]))
            }
            guard case .ownInterface(name)? = error else {
                Issue.record("\(error.map { "\($0)" } ?? "no error")")
                return
            }
        }
        #expect(
            try await Self.refusal(
                TestHost.request("lte", interfaces: ["wlan9"]), prepare: apply)
                == "wlan9: no such interface (have: \(Self.known()))")
    }

    @Test("No interface, where none carries a default route")
    func noDefaultRoute() async throws {
        #expect(
            try await Self.refusal(TestHost.request("lte", interfaces: []))
                == "no interface carries a default route; name one with -i")
    }

    @Test("An interface that is conditioned already, by name of the profile")
    func twice() async throws {
        #expect(
            try await Self.refusal(TestHost.request("lte")) { host in
                try host.kernel.apply(
                    TestHost.request(LinkConditions(), "Very Bad Network"))
            }
                == "eth0: is conditioned with Very Bad Network already; use --replace to change "
                + "it, --name to condition other traffic beside it, or linkcond clear -i eth0")
    }

    @Test("An interface with a number that leaves no room for ours")
    func largeIndex() async throws {
        #expect(
            try await Self.refusal(TestHost.request("lte", interfaces: ["big0"])) { _ in
                let index = Ownership.lastConditionable + 1
                try shell("ip link add big0 index \(index) type dummy; ip link set big0 up")
            }.hasPrefix("big0: its index is beyond \(Ownership.lastConditionable)"))
    }

    @Test("The largest number that leaves room is conditioned")
    func largestIndex() async throws {
        try await TestHost.run { host in
            let index = Ownership.lastConditionable
            try shell("ip link add big0 index \(index) type dummy; ip link set big0 up")
            let before = try host.picture()
            let request = TestHost.request("lte", interfaces: ["big0"])
            try host.kernel.apply(request)
            try host.expectStatus(of: request)
            try host.kernel.clear(["big0"])
            try host.expectUnchanged(since: before)
        }
    }

    @Test("Conditions that no qdisc carries out")
    func unsupported() async throws {
        let conditions = LinkConditions(up: DirectionConditions(trace: "a.trace"))
        #expect(
            try await Self.refusal(TestHost.request(conditions))
                .hasPrefix("delivery traces: not on the kernel data plane"))
    }

    @Test("Loopback and interfaces without Ethernet headers are conditioned too")
    func otherKinds() async throws {
        try await TestHost.run { host in
            try shell("ip link add tun0 type ipip local 192.0.2.1 remote 192.0.2.2 2>&1 || true")
            _ = try host.session.execute([Link.bringUp(index: 1, alias: "")])
            let before = try host.picture()
            let request = TestHost.request("asymmetric", interfaces: ["lo"])
            try host.kernel.apply(request)
            try host.expectStatus(of: request)
            try host.kernel.clear(nil)
            try host.expectUnchanged(since: before)
        }
    }
}

import KernelPlane
import LinkModel
import LinkTesting
import LinkUnits
import LinuxKernel
import NetworkPath
import Recording
import SystemPackage
import Testing

@testable import Sandbox

/// Changes of a sandbox's interfaces while it stands, as its app sees them.
@Suite("Links of a sandbox", .serialized, .requiresNamespaces, .tags(.contrary))
struct SandboxLinksTests {
    /// Both data planes, as far as this kernel has them.
    private static let backends: [Backend] =
        (try? FeatureProbe.run()[.netem]) == .present ? [.engine, .kernel] : [.engine]

    private static func link(
        _ name: String, delay: Duration, mark: NetworkMark = NetworkMark(), isPresent: Bool = true
    ) -> SandboxInterface {
        SandboxInterface(
            name: name, conditions: conditions(delay: delay), profile: "test", mark: mark,
            isPresent: isPresent)
    }

    private static func conditions(delay: Duration) -> LinkConditions {
        LinkConditions(
            down: DirectionConditions(delay: delay), up: DirectionConditions(delay: delay))
    }

    /// What `body` finds in a sandbox with these interfaces, whose first process it stands for.
    private static func withLinks<Value: Sendable>(
        _ interfaces: [SandboxInterface], _ backend: Backend = .engine,
        devices: [SandboxDevice] = [],
        _ body: @escaping @Sendable (SandboxLinks) throws -> Value
    ) async throws -> Value {
        var request = SandboxRequest(interfaces: interfaces, command: [])
        request.backend = backend
        request.devices = devices
        return try await withNewNamespace { [request] in
            // Like the others of the sandbox, this one is to have what the host's gives to new ones.
            try Namespaces.network.unshare()
            let links = try SandboxLinks(request, SandboxNetwork(number: 0))
            defer { withExtendedLifetime(links) {} }
            return try body(links)
        }
    }

    /// What the app sees of its interfaces, in its order of preference: `wifi0+cell0-` for one that
    /// leads to the network by both families, and one that does not.
    private static func path(_ links: SandboxLinks, _ device: Int = 0) throws -> String {
        try interfaces(links, device).filter { $0.kind != .loopback }
            .map { $0.name + ($0.isUp && $0.supportsIPv4 && $0.supportsIPv6 ? "+" : "-") }.joined()
    }

    private static func interfaces(
        _ links: SandboxLinks, _ device: Int = 0
    ) throws -> [NetworkInterface] {
        // A kernel that has IP tunnels has this one in each namespace.
        try NetworkNamespace.visit(links.namespaces.apps[device]) {
            Result { try NetworkPath.current() }
        }.get().interfaces.filter { $0.name != "tunl0" }
    }

    /// Runs a script where the app is.
    private static func inApp(_ links: SandboxLinks, _ script: String) throws -> String {
        try NetworkNamespace.visit(links.namespaces.apps[0]) { Result { try shell(script) } }.get()
    }

    private static let three = [
        link("wifi0", delay: .milliseconds(1)), link("cell0", delay: .milliseconds(30)),
        link("vpn0", delay: .milliseconds(60), isPresent: false),
    ]

    @Test func `the app sees each change`() async throws {
        let seen = try await Self.withLinks(Self.three) { links in
            var seen = [try Self.path(links)]
            func look(_ change: () throws -> Void) throws {
                try change()
                try links.settle()
                seen.append(try Self.path(links))
            }
            try look { try links.setCarrier("wifi0", isUp: false) }
            try look { try links.setPresence("vpn0", isPresent: true) }
            try look { try links.prefer("vpn0") }
            try look { try links.setCarrier("wifi0", isUp: true) }
            try look { try links.prefer("cell0") }
            try look { try links.setPresence("vpn0", isPresent: false) }
            try look { try links.setPresence("cell0", isPresent: false) }
            try look { try links.setCarrier("cell0", isUp: false) }
            try look { try links.setPresence("cell0", isPresent: true) }
            try look { try links.setCarrier("cell0", isUp: true) }
            return seen
        }
        #expect(
            seen == [
                "wifi0+cell0+", "cell0+wifi0-", "cell0+vpn0+wifi0-", "vpn0+cell0+wifi0-",
                "vpn0+wifi0+cell0+", "cell0+vpn0+wifi0+", "cell0+wifi0+", "wifi0+",
                "wifi0+", "wifi0+cell0-", "cell0+wifi0+",
            ])
    }

    @Test(arguments: backends)
    func `a device has its own interfaces and preference, and no way to another`(
        backend: Backend
    ) async throws {
        let devices = [["vpn0", "wifi0"], ["cell0"]].map {
            SandboxDevice(name: $0[0], interfaces: $0, command: [])
        }
        let seen = try await Self.withLinks(Self.three, backend, devices: devices) { links in
            // The hosts get to know each other, for which a busy kernel may take a second or two.
            func ping(
                _ address: String, from device: Int, within seconds: Int = 20
            ) throws -> String {
                let ping = "ping -c 1 -W \(seconds) \(address) > /dev/null"
                return try NetworkNamespace.visit(links.namespaces.apps[device]) {
                    Result { try shell("\(ping) && echo yes || echo no") }
                }.get()
            }
            var seen: [String] = []
            func look(_ change: () throws -> Void = {}) throws {
                try change()
                try links.settle()
                seen.append(links.interfaces.filter(\.isUsable).map(\.name).joined(separator: " "))
                seen[seen.count - 1] += " " + (try Self.path(links)) + (try Self.path(links, 1))
            }
            try look()
            try look { try links.setPresence("vpn0", isPresent: true) }
            try look { try links.prefer("wifi0") }
            try look { try links.setCarrier("cell0", isUp: false) }
            try look { try links.setCarrier("cell0", isUp: true) }
            // The far side, and the other device.
            seen.append(try ping("198.18.0.1", from: 0) + ping("198.18.0.1", from: 1))
            seen.append(
                try ping("198.18.0.34", from: 0, within: 1) + ping("198.18.0.34", from: 1))
            return seen
        }
        #expect(
            seen == [
                "wifi0 cell0 wifi0+cell0+", "vpn0 wifi0 cell0 vpn0+wifi0+cell0+",
                "wifi0 vpn0 cell0 wifi0+vpn0+cell0+", "wifi0 vpn0 wifi0+vpn0+cell0-",
                "wifi0 vpn0 cell0 wifi0+vpn0+cell0+", "yes\nyes\n", "no\nyes\n",
            ])
    }

    @Test func `an interface that is away leaves nothing that another would be used for`()
        async throws
    {
        let routes = try await Self.withLinks(Self.three) { links in
            try links.setCarrier("wifi0", isUp: false)
            return try Self.inApp(
                links,
                """
                (ip route show table all; ip -6 route show table all) | grep -v ff00: | grep wifi0
                ip route get 192.0.2.1 from 198.18.0.18 || true
                ip -6 route get 2001:db8::1 from fd6c:696e:6b63:0:1::2 || true
                ip route get 192.0.2.1; ip -6 route get 2001:db8::1
                """)
        }
        #expect(!routes.contains("dev wifi0"), "\(routes)")
        #expect(routes.matches(of: /dev cell0/).count == 2, "\(routes)")
    }

    @Test func `a preference need not wait for an interface that appears in the same moment`()
        async throws
    {
        let (waited, paths) = try await Self.withLinks(Self.three) { links in
            var waited: [Bool] = []
            var paths: [String] = []
            // The kernel needs a while, but now and then no longer than this does.
            for _ in 0..<10 {
                try links.setPresence("vpn0", isPresent: true)
                try links.prefer("vpn0")
                waited.append(links.turn() == nil)
                try links.settle()
                paths.append(try Self.path(links))
                try links.prefer("wifi0")
                try links.setPresence("vpn0", isPresent: false)
                try links.settle()
            }
            return (waited, paths)
        }
        #expect(waited.contains(false))
        #expect(Set(paths) == ["vpn0+wifi0+cell0+"])
    }

    @Test func `networks are the same whatever the host has`() async throws {
        let request = SandboxRequest(interfaces: Self.three, command: [])
        let found = try await withNewNamespace {
            // The calling thread's namespace becomes the far side's.
            for (name, value) in [
                ("ipv4/ip_forward", "1"), ("ipv4/conf/all/rp_filter", "1"),
                ("ipv4/conf/default/rp_filter", "1"), ("ipv6/conf/all/disable_ipv6", "1"),
                ("ipv6/conf/all/forwarding", "1"),
            ] {
                try KernelParameter("net/" + name).write(value)
            }
            let links = try SandboxLinks(request, SandboxNetwork(number: 0))
            defer { withExtendedLifetime(links) {} }
            return try [links.namespaces.far, links.namespaces.apps[0], links.namespaces.link].map {
                place in
                try NetworkNamespace.visit(place) {
                    Result {
                        try shell(
                            """
                            cd /proc/sys/net
                            cat ipv4/ip_forward ipv4/conf/*/rp_filter ipv6/conf/all/forwarding
                            """)
                    }
                }.get()
            }
        }
        #expect(found.allSatisfy { Set($0) == ["0", "\n"] }, "\(found)")
    }

    @Test func `marks change, and what was set inside stays on top`() async throws {
        let constrained = NetworkMark(cost: .expensive).written(into: [])
        let override = String(decoding: constrained ?? [], as: UTF8.self)
        try await Self.withLinks(Self.three) { links in
            _ = try Self.inApp(
                links, "ip link set wifi0 alias \"$(cat /sys/class/net/wifi0/ifalias)\(override)\"")
            try links.setMark("wifi0", NetworkMark(isConstrained: true, kind: .wifi))
            try links.setMark("vpn0", NetworkMark(kind: .other))
            try links.setPresence("vpn0", isPresent: true)
            try links.settle()
            let interfaces = try Self.interfaces(links)
            #expect(interfaces.map(\.kind) == [.wifi, .wired, .other, .loopback])
            #expect(interfaces[0].isConstrained)
            #expect(interfaces[0].isExpensive)
        }
    }

    @Test(.enabled("ping has to be there") { hasPrograms("ping") }, arguments: backends)
    func `packets take the wire that they are bound to, also when it has changed`(
        backend: Backend
    ) async throws {
        let cases = ["", "-I cell0", "-I 198.18.0.34", "-I fd6c:696e:6b63:0:2::2"]
        let (first, last, packets) = try await Self.withLinks(Self.three, backend) { links in
            // The shortest of a few, and those apart, since a busy machine may look late at any.
            func delays() throws -> [Double] {
                try cases.map { option in
                    let host = option.contains(":") ? "fd6c:696e:6b63::1" : "198.18.0.1"
                    let text = try Self.inApp(
                        links, "ping -n -c 5 -i 0.1 -W 20 \(option) \(host)")
                    let times = text.matches(of: /time=([0-9.]+) ms/).compactMap { Double($0.1) }
                    return try #require(times.min())
                }
            }
            // The hosts get to know each other, for which a busy kernel may take a second.
            _ = try delays()
            let first = try delays()
            try links.change(
                "cell0", to: Self.conditions(delay: .milliseconds(90)), profile: "slower")
            try links.prefer("cell0")
            let last = try delays()
            // ping waits for its last answers no longer than two round trips.
            for _ in 0..<500 where links.counters(of: "cell0")?.down.packets != 50 {
                try shell("sleep 0.02")
            }
            let wifi = links.counters(of: "wifi0"), cell = links.counters(of: "cell0")
            return (first, last, [wifi?.up, wifi?.down, cell?.up, cell?.down].map { $0?.packets })
        }
        #expect(first[0] < 60, "\(first)")
        #expect(first[1...].allSatisfy { $0 >= 60 && $0 < 180 }, "\(first)")
        #expect(last.allSatisfy { $0 >= 180 }, "\(last)")
        // The kernel also counts how the hosts join multicast groups.
        if backend == .engine { #expect(packets == [10, 10, 50, 50]) }
    }

    @Test(.enabled("ping has to be there") { hasPrograms("ping") }, arguments: backends)
    func `what is on the link stays there when its conditions change`(
        backend: Backend
    ) async throws {
        try await withTemporaryDirectory { directory in
            let output = "\(directory.path)/ping"
            let text = try await Self.withLinks(
                [Self.link("eth0", delay: .milliseconds(400))], backend
            ) { links in
                let process = try Self.inApp(
                    links,
                    """
                    ping -n -c 5 -i 0.01 -W 30 198.18.0.1 >\(output) 2>&1 &
                    sleep 0.2; echo $!
                    """)
                try links.change("eth0", to: Self.conditions(delay: .milliseconds(1)), profile: "b")
                return try Self.inApp(
                    links,
                    """
                    while kill -0 \(process.filter(\.isNumber)) 2>/dev/null; do sleep 0.05; done
                    cat \(output)
                    """)
            }
            #expect(text.contains(" 5 received"), "\(text)")
        }
    }
}

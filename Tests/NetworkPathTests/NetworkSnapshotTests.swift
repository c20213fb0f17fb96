import LinkTesting
import LinuxKernel
import Testing

@testable import NetworkPath

@Suite("The path of a snapshot", .tags(.unit))
struct NetworkSnapshotTests {
    private typealias Device = NetworkSnapshot.Device
    private typealias DefaultRoute = NetworkSnapshot.DefaultRoute

    private static func address(_ text: String) throws -> IPAddress {
        try #require(IPAddress(text))
    }

    private static func route(
        _ interface: Int32, via gateway: String? = nil, metric: UInt32 = 0, isIPv6: Bool = false,
        to destination: String? = nil, bits: UInt8 = 0
    ) throws -> DefaultRoute {
        DefaultRoute(
            isIPv6: isIPv6, prefixLength: bits, destination: try destination.map(address),
            metric: metric,
            hops: [.init(interface: interface, gateway: try gateway.map(address))])
    }

    private static func device(
        _ name: String, _ index: Int32, _ addresses: String...,
        kind: NetworkInterface.Kind = .wired,
        isRunning: Bool = true, mark: NetworkMark? = nil
    ) throws -> Device {
        Device(
            name: name, index: index, kind: kind, isRunning: isRunning, mark: mark,
            addresses: try addresses.map(address))
    }

    private static func loopback() throws -> Device {
        try device("lo", 1, "127.0.0.1", "::1", kind: .loopback)
    }

    private static func path(
        _ devices: [Device], _ routes: [DefaultRoute], hasNameServer: Bool = true
    ) -> NetworkPath {
        NetworkSnapshot(devices: devices, routes: routes, hasNameServer: hasNameServer).path
    }

    @Test func `an interface with an address and a default route is a route`() throws {
        let path = Self.path(
            [try Self.loopback(), try Self.device("eth0", 2, "192.0.2.2")],
            [try Self.route(2, via: "192.0.2.1")])
        #expect(path.status == .satisfied && path.unsatisfiedReason == nil)
        #expect(path.interfacesInUse.map(\.name) == ["eth0"])
        #expect(path.availableInterfaces.map(\.name) == ["eth0"])
        #expect(path.interfaces.map(\.name) == ["eth0", "lo"])
        #expect(path.gateways.map(\.description) == ["192.0.2.1"])
        #expect(path.supportsIPv4 && !path.supportsIPv6 && path.supportsDNS)
        #expect(!path.isExpensive && !path.isConstrained)
        #expect(path.usesInterfaceType(.wired) && !path.usesInterfaceType(.loopback))
    }

    @Test func `what is missing is said`() throws {
        let eth0 = try Self.device("eth0", 2, "192.0.2.2")
        let route = try Self.route(2, via: "192.0.2.1")
        let down = try Self.device("eth0", 2, "192.0.2.2", isRunning: false)
        let cases: [([Device], [DefaultRoute], NetworkPath.UnsatisfiedReason)] = [
            ([], [], .noInterface),
            ([try Self.loopback()], [], .noInterface),
            ([down], [route], .noInterface),
            ([eth0], [], .noRoute),
            ([try Self.device("eth0", 2)], [route], .noRoute),
            ([eth0], [try Self.route(3, via: "192.0.2.1")], .noRoute),
        ]
        for (devices, routes, reason) in cases {
            let path = Self.path(devices, routes)
            #expect(path.status == .unsatisfied && path.unsatisfiedReason == reason)
            #expect(path.interfacesInUse.isEmpty && !path.supportsIPv4 && !path.supportsDNS)
        }
        var dormant = try Self.device("wwan0", 2, isRunning: false)
        dormant.isDormant = true
        #expect(Self.path([dormant], []).status == .requiresConnection)
        #expect(Self.path([eth0], [route], hasNameServer: false).supportsDNS == false)
    }

    @Test func `metrics say which interface goes first, and the kernel's order among equals`()
        throws
    {
        let wifi = try Self.device("wlan0", 2, "192.0.2.2", kind: .wifi)
        let wired = try Self.device("eth0", 3, "198.51.100.2")
        func order(_ routes: [DefaultRoute]) -> [String] {
            Self.path([wifi, wired], routes).availableInterfaces.map(\.name)
        }
        let (slow, fast) = (try Self.route(2, metric: 600), try Self.route(3, metric: 100))
        #expect(order([slow, fast]) == ["eth0", "wlan0"])
        #expect(order([fast, slow]) == ["eth0", "wlan0"])
        #expect(order([try Self.route(2), try Self.route(3)]) == ["wlan0", "eth0"])
        #expect(order([try Self.route(3), try Self.route(2)]) == ["eth0", "wlan0"])
    }

    @Test func `each family has an interface of its own, and either makes the path expensive`()
        throws
    {
        let wifi = try Self.device("wlan0", 2, "192.0.2.2", "fd00::2", kind: .wifi)
        let cell = try Self.device("wwan0", 3, "fd01::2", kind: .cellular)
        let path = Self.path(
            [wifi, cell],
            [
                try Self.route(2, via: "192.0.2.1", metric: 600),
                try Self.route(2, via: "fe80::1", metric: 1024, isIPv6: true),
                try Self.route(3, via: "fe80::2", metric: 1, isIPv6: true),
            ])
        #expect(path.interfacesInUse.map(\.name) == ["wwan0", "wlan0"])
        #expect(path.isExpensive && path.supportsIPv4 && path.supportsIPv6)
        #expect(
            path.gateways.map(\.description) == ["fe80::2%wwan0", "192.0.2.1", "fe80::1%wlan0"])
    }

    @Test func `two halves of all addresses go before any default route, one half does not`() throws
    {
        let eth0 = try Self.device("eth0", 2, "192.0.2.2")
        let tunnel = try Self.device("tun0", 3, "10.8.0.2", kind: .other)
        let halves = [
            try Self.route(3, metric: 50, to: "0.0.0.0", bits: 1),
            try Self.route(3, metric: 50, to: "128.0.0.0", bits: 1),
        ]
        let wide = try Self.route(2, via: "192.0.2.1")
        let path = Self.path([eth0, tunnel], [wide] + halves)
        #expect(path.interfacesInUse.map(\.name) == ["tun0"])
        #expect(path.availableInterfaces.map(\.name) == ["tun0", "eth0"])
        #expect(
            Self.path([eth0, tunnel], [wide, halves[1]]).interfacesInUse.map(\.name) == ["eth0"])
        let v6 = try Self.device("eth1", 4, "fd00::2")
        let unicast = try Self.route(4, isIPv6: true, to: "2000::", bits: 3)
        #expect(Self.path([v6], [unicast]).status == .satisfied)
    }

    @Test func `a route of several hops uses all of them that are up`() throws {
        let devices = [
            try Self.device("eth0", 2, "192.0.2.2"),
            try Self.device("wwan0", 3, "198.51.100.2", kind: .cellular),
            try Self.device("eth1", 4, "203.0.113.2", isRunning: false),
        ]
        var route = try Self.route(2, via: "192.0.2.1")
        route.hops += [
            .init(interface: 3, gateway: try Self.address("198.51.100.1")),
            .init(interface: 4, gateway: try Self.address("203.0.113.1")),
        ]
        let path = Self.path(devices, [route])
        #expect(path.interfacesInUse.map(\.name) == ["eth0", "wwan0"])
        #expect(path.isExpensive)
    }

    @Test func `a host may have its address on the loopback`() throws {
        var lo = try Self.loopback()
        let route = try Self.route(2, via: "192.0.2.1")
        let eth0 = try Self.device("eth0", 2)
        #expect(Self.path([lo, eth0], [route]).status == .unsatisfied)
        lo.addresses.append(try Self.address("203.0.113.9"))
        #expect(Self.path([lo, eth0], [route]).status == .satisfied)
    }

    @Test func `an override changes what an interface is`() throws {
        func path(_ mark: NetworkMark) throws -> NetworkPath {
            Self.path(
                [try Self.device("eth0", 2, "192.0.2.2", mark: mark)],
                [try Self.route(2, via: "192.0.2.1")])
        }
        #expect(try path(NetworkMark(cost: .expensive)).isExpensive)
        #expect(try path(NetworkMark(isConstrained: true)).isConstrained)
        #expect(try path(NetworkMark(kind: .cellular)).isExpensive)
        #expect(try path(NetworkMark(kind: .cellular)).usesInterfaceType(.cellular))
        let hotspot = try path(NetworkMark(isHotspot: true))
        #expect(hotspot.usesInterfaceType(.wifi) && hotspot.isExpensive && hotspot.isConstrained)
    }

    @Test func `only interfaces in use count`() throws {
        let path = Self.path(
            [
                try Self.device("eth0", 2, "192.0.2.2"),
                try Self.device("wwan0", 3, "198.51.100.2", kind: .cellular),
            ], [try Self.route(2, metric: 100), try Self.route(3, metric: 700)])
        #expect(!path.isExpensive)
        #expect(path.availableInterfaces.map(\.isExpensive) == [false, true])
    }

    @Test(
        "Name servers are found in the resolver's file",
        arguments: [
            ("nameserver 192.0.2.53\n", true), ("search x\n  nameserver\t::1", true),
            ("# nameserver 192.0.2.53\n", false), ("", false), ("nameservers 1\n", false),
        ])
    func nameServers(text: String, expected: Bool) {
        #expect(NameServers.areConfigured(in: text) == expected)
    }
}

import Foundation
import FoundationNetworking
import LinkTesting
import LinuxKernel
import NetworkPath
import Testing

@testable import NetworkPathSession

@Suite("Which interfaces a request may try", .tags(.unit)) struct CandidateTests {
    private static let wifi = NetworkInterface(
        name: "wifi0", index: 2, kind: .wifi, isConstrained: true, addresses: ["192.0.2.1"])
    private static let cell = NetworkInterface(
        name: "cell0", index: 3, kind: .cellular, isExpensive: true, addresses: ["198.51.100.1"])
    private static let wired = NetworkInterface(
        name: "eth0", index: 4, kind: .wired, addresses: ["203.0.113.1"])
    private static let loopback = NetworkInterface(
        name: "lo", index: 1, kind: .loopback, supportsIPv4: false, supportsIPv6: false)

    private static func rules(
        constrained: Bool = true, expensive: Bool = true, url: String = "http://192.0.2.9/",
        multipath: NetworkSession.MultipathServiceType = .none
    ) throws -> AccessRules {
        var configuration = NetworkSession.Configuration.ephemeral
        configuration.allowsConstrainedNetworkAccess = constrained
        configuration.allowsExpensiveNetworkAccess = expensive
        configuration.multipathServiceType = multipath
        return AccessRules(
            configuration, NetworkRequest(url: try #require(URL(string: url))))
    }

    private static func path(_ interfaces: NetworkInterface...) -> NetworkPath {
        NetworkPath(interfaces: interfaces + [loopback])
    }

    private static func names(_ candidates: [Candidate]) -> [String?] {
        candidates.map { $0.interface?.name }
    }

    @Test func `the kernel's routes come first, then what they do not use`() throws {
        let candidates = try Self.rules().candidates(on: Self.path(Self.wifi, Self.cell))
        #expect(Self.names(candidates) == [nil, "cell0"])
    }

    @Test func `a request that may not use constrained networks goes out by another`() throws {
        let rules = try Self.rules(constrained: false)
        let path = Self.path(Self.wifi, Self.cell, Self.wired)
        #expect(Self.names(rules.candidates(on: path)) == [nil, "cell0", "eth0"])
        #expect(rules.prohibition(of: path) == nil)
    }

    @Test func `it fails only if no permitted interface is there`() throws {
        let rules = try Self.rules(constrained: false, expensive: false)
        let path = Self.path(Self.wifi, Self.cell)
        #expect(rules.candidates(on: path).isEmpty)
        #expect(rules.prohibition(of: path) == .constrained)
    }

    @Test func `this host and an unknown path are left to the kernel`() throws {
        let local = try Self.rules(constrained: false, url: "http://localhost/")
        #expect(local.candidates(on: Self.path(Self.wifi)) == [.system])
        #expect(try Self.rules().candidates(on: nil) == [.system])
    }

    @Test func `a socket over a prohibited interface is not opened`() throws {
        let rules = try Self.rules(constrained: false)
        let path = Self.path(Self.wifi, Self.cell)
        let server = try #require(IPAddress("192.0.2.9"))
        func reason(_ local: String, _ remote: IPAddress) throws
            -> URLError.NetworkUnavailableReason?
        {
            rules.prohibition(from: try #require(IPAddress(local)), to: remote, on: path)
        }
        #expect(try reason("192.0.2.1", server) == .constrained)
        #expect(try reason("198.51.100.1", server) == nil)
        // Of a bridge of containers, perhaps.
        #expect(try reason("172.17.0.1", server) == nil)
        // This host's own address.
        #expect(try reason("192.0.2.1", try #require(IPAddress("192.0.2.1"))) == nil)
        // A link-local address belongs to the interface of its scope.
        let local = try #require(IPAddress("fe80::1"))
        #expect(rules.prohibition(from: local, scope: 2, to: server, on: path) == .constrained)
        #expect(rules.prohibition(from: local, scope: 3, to: server, on: path) == nil)
    }

    @Test func `several networks at once only if each may be used`() throws {
        let path = Self.path(Self.wifi, Self.cell)
        let free = try Self.rules(multipath: .handover).candidates(on: path)
        #expect(free.first == Candidate(isMultipath: true))
        let bound = try Self.rules(expensive: false, multipath: .handover).candidates(on: path)
        #expect(bound == [.system])
        #expect(try Self.rules().candidates(on: path).first == .system)
    }
}

@Suite("What a new path means for a connection", .tags(.unit)) struct PathVerdictTests {
    private static func interface(
        _ name: String, _ index: Int32, isExpensive: Bool = false, isUp: Bool = true,
        hasRoute: Bool = true
    ) -> NetworkInterface {
        NetworkInterface(
            name: name, index: index, kind: .wired, isExpensive: isExpensive, isUp: isUp,
            supportsIPv4: hasRoute, supportsIPv6: false)
    }

    private static func verdict(
        _ connected: NetworkInterface, _ now: NetworkInterface..., isMultipath: Bool = false
    ) throws -> AccessRules.PathVerdict {
        var configuration = NetworkSession.Configuration.ephemeral
        configuration.allowsExpensiveNetworkAccess = false
        let url = try #require(URL(string: "http://192.0.2.9/"))
        return AccessRules(configuration, NetworkRequest(url: url)).verdict(
            on: NetworkPath(interfaces: now), connectedBy: connected, isMultipath: isMultipath)
    }

    private static let one = interface("one", 2)
    private static let two = interface("two", 3)

    @Test func `nothing changes while the interface is the preferred one`() throws {
        #expect(try Self.verdict(Self.one, Self.one, Self.two) == .fine)
    }

    @Test func `a preferred interface is better, if it may be used`() throws {
        #expect(try Self.verdict(Self.two, Self.one, Self.two) == .better(Self.one))
        let costly = Self.interface("one", 2, isExpensive: true)
        #expect(try Self.verdict(Self.two, costly, Self.two) == .fine)
    }

    @Test func `an interface that becomes prohibited is left`() throws {
        let costly = Self.interface("one", 2, isExpensive: true)
        #expect(try Self.verdict(Self.one, costly, Self.two) == .lost(.expensive))
    }

    @Test(arguments: [true, false])
    func `a lost interface matters only if there is another`(_ isGone: Bool) throws {
        let down = Self.interface("one", 2, isUp: false, hasRoute: false)
        let costly = Self.interface("three", 4, isExpensive: true)
        if isGone {
            #expect(try Self.verdict(Self.one, Self.two) == .lost(nil))
            #expect(try Self.verdict(Self.one) == .fine)
            #expect(try Self.verdict(Self.one, costly) == .fine)
        } else {
            #expect(try Self.verdict(Self.one, down, Self.two) == .lost(nil))
            #expect(try Self.verdict(Self.one, down) == .fine)
            #expect(try Self.verdict(Self.one, down, costly) == .fine)
        }
    }

    @Test func `hosts on an interface's own network stay there`() throws {
        let bridge = Self.interface("bridge", 5, hasRoute: false)
        #expect(try Self.verdict(bridge, Self.one, bridge) == .fine)
        let down = Self.interface("bridge", 5, isUp: false, hasRoute: false)
        #expect(try Self.verdict(bridge, Self.one, down) == .lost(nil))
    }

    @Test func `a multipath connection moves by itself, but not to a prohibited network`() throws {
        #expect(try Self.verdict(Self.one, Self.two, isMultipath: true) == .fine)
        let costly = Self.interface("two", 3, isExpensive: true)
        #expect(
            try Self.verdict(Self.one, Self.one, costly, isMultipath: true) == .lost(.expensive))
    }

    @Test func `apps that want several networks do not wait long for the first`() {
        let delays = NetworkSession.MultipathServiceType.allCases.map(\.connectionAttemptDelay)
        #expect(delays.first == .seconds(2))
        #expect(delays.dropFirst().allSatisfy { $0 == .milliseconds(250) })
    }
}

import Foundation
import FoundationNetworking
import LinkTesting
import NetworkPath
import Testing

@testable import NetworkPathSession

@Suite("Which networks a request may use", .tags(.unit)) struct AccessRulesTests {
    private static let url = URL(string: "http://192.0.2.2/")

    private static func rules(
        session: Bool = true, request: Bool? = nil, url: String = "http://192.0.2.2/"
    ) throws -> AccessRules {
        var configuration = NetworkSession.Configuration.ephemeral
        configuration.allowsExpensiveNetworkAccess = session
        var asked = NetworkRequest(url: try #require(URL(string: url)))
        asked.allowsExpensiveNetworkAccess = request
        return AccessRules(configuration, asked)
    }

    private static func path(_ interfaces: NetworkInterface...) -> NetworkPath {
        NetworkPath(interfaces: interfaces)
    }

    private static let costly = NetworkInterface(
        name: "wwan0", index: 2, kind: .cellular, isExpensive: true, isConstrained: true)

    @Test(arguments: [
        (true, nil, true), (false, nil, false), (false, true, true), (true, false, false),
    ]) func `what a request says goes before what its session says`(
        _ session: Bool, _ request: Bool?, _ isAllowed: Bool
    ) throws {
        let rules = try Self.rules(session: session, request: request)
        #expect((rules.prohibition(of: Self.path(Self.costly)) == nil) == isAllowed)
    }

    @Test func `the kind of network is named first, then costs, then Low Data Mode`() throws {
        var configuration = NetworkSession.Configuration.ephemeral
        let request = NetworkRequest(url: try #require(Self.url))
        configuration.allowsConstrainedNetworkAccess = false
        #expect(
            AccessRules(configuration, request).prohibition(of: Self.path(Self.costly))
                == .constrained)
        configuration.allowsExpensiveNetworkAccess = false
        #expect(
            AccessRules(configuration, request).prohibition(of: Self.path(Self.costly))
                == .expensive)
        configuration.allowsCellularAccess = false
        #expect(
            AccessRules(configuration, request).prohibition(of: Self.path(Self.costly))
                == .cellular)
    }

    @Test func `without a default route any interface that may be used will do`() throws {
        var costly = Self.costly
        (costly.supportsIPv4, costly.supportsIPv6) = (false, false)
        var cheap = NetworkInterface(name: "eth0", index: 3, kind: .wired)
        (cheap.supportsIPv4, cheap.supportsIPv6) = (false, false)
        let loopback = NetworkInterface(
            name: "lo", index: 1, kind: .loopback, supportsIPv4: false, supportsIPv6: false)
        let rules = try Self.rules(session: false)
        #expect(rules.prohibition(of: Self.path(costly, loopback)) == .expensive)
        #expect(rules.prohibition(of: Self.path(costly, cheap)) == nil)
        #expect(rules.prohibition(of: Self.path()) == nil)
    }

    @Test(arguments: [
        ("http://localhost:80/", true), ("http://127.8.0.1/", true), ("http://[::1]:1/", true),
        ("http://127.0.0.1.example/", false), ("http://128.0.0.1/", false),
    ]) func `this host may always be asked`(_ url: String, _ isLocal: Bool) throws {
        let rules = try Self.rules(session: false, url: url)
        #expect(rules.isLocal == isLocal)
        #expect((rules.prohibition(of: Self.path(Self.costly)) == nil) == isLocal)
    }
}

import Foundation
import LinkTesting
import Network
import Testing

@Suite("Endpoints", .tags(.unit)) struct EndpointTests {
    @Test func `a host is an address or a name`() throws {
        #expect(NWEndpoint.Host("192.0.2.1") == .ipv4(try #require(IPv4Address("192.0.2.1"))))
        #expect(NWEndpoint.Host("fd00::1") == .ipv6(try #require(IPv6Address("fd00::1"))))
        let literal: NWEndpoint.Host = "example.com"
        #expect(literal == .name("example.com", nil))
        #expect(NWEndpoint.Host("1.2.3") == .name("1.2.3", nil))
        #expect("\(NWEndpoint.Host("FD00:0::1"))" == "fd00::1")
    }

    @Test func `addresses know what they are for`() throws {
        #expect(IPv4Address.loopback.isLoopback && !IPv4Address.any.isLoopback)
        #expect(IPv4Address.mdnsGroup.isMulticast && !IPv4Address.broadcast.isMulticast)
        #expect(try #require(IPv4Address("169.254.3.4")).isLinkLocal)
        #expect(IPv6Address.loopback.isLoopback && IPv6Address.any.isAny)
        #expect(IPv6Address.linkLocalNodes.isMulticast)
        #expect(try #require(IPv6Address("fe80::1")).isLinkLocal)
        #expect(try #require(IPv6Address("fd12::1")).isUniqueLocal)
        let mapped = try #require(IPv6Address("::ffff:192.0.2.1"))
        #expect(mapped.isIPv4Mapped && mapped.asIPv4 == IPv4Address("192.0.2.1"))
        #expect(IPv6Address.loopback.asIPv4 == nil)
    }

    @Test func `addresses are made of bytes and text, and of nothing else`() {
        #expect(IPv4Address(Data([192, 0, 2, 1])) == IPv4Address("192.0.2.1"))
        #expect(IPv4Address(Data([192, 0, 2])) == nil)
        #expect(IPv4Address("fd00::1") == nil)
        #expect(IPv6Address("192.0.2.1") == nil)
        #expect(IPv6Address("fe80::1%nowhere0") == nil)
        // Data may begin anywhere.
        let slice = Data([0, 0, 127, 0, 0, 1]).dropFirst(2)
        #expect(IPv4Address(slice)?.isLoopback == true)
        #expect(IPv6Address(Data(repeating: 0, count: 18).dropFirst(2))?.isIPv4Mapped == false)
    }

    @Test func `a link-local address keeps its interface`() throws {
        let address = try #require(IPv6Address("fe80::1%lo"))
        #expect(address.interface?.name == "lo" && address.interface?.type == .loopback)
        #expect("\(address)" == "fe80::1%lo")
        #expect(NWEndpoint.hostPort(host: .ipv6(address), port: 1).interface?.name == "lo")
    }

    @Test func `ports are numbers and services`() {
        #expect(NWEndpoint.Port("8080") == 8080)
        #expect(NWEndpoint.Port("https") == .https)
        #expect(NWEndpoint.Port("65536") == nil)
        #expect(NWEndpoint.Port("nonsense") == nil)
        #expect(NWEndpoint.Port(rawValue: 0) == .any)
    }

    @Test func `endpoints read as usual`() throws {
        let url = try #require(URL(string: "https://example.com/x"))
        let texts: [(NWEndpoint, String)] = [
            (.hostPort(host: "192.0.2.1", port: .http), "192.0.2.1:80"),
            (.hostPort(host: "fd00::1", port: 443), "fd00::1.443"),
            (.hostPort(host: "example.com", port: 25), "example.com:25"),
            (.unix(path: "/run/x"), "/run/x"),
            (.url(url), "https://example.com/x"),
            (
                .service(name: "a", type: "_b._tcp", domain: "local", interface: nil),
                "a._b._tcp.local"
            ),
        ]
        for (endpoint, text) in texts { #expect("\(endpoint)" == text) }
    }
}

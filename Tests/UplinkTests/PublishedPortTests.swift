import LinkModel
import LinkTesting
import LinuxKernel
import Testing

@testable import Uplink

@Suite("Published ports as text", .tags(.unit))
struct PublishedPortTests {
    @Test(arguments: [
        ("8080:80", "8080:81", true), ("8080:80", "127.0.0.1:8080:81", true),
        ("[::1]:8080:80", "8080:80", true), ("8080:80", "8080:80/udp", false),
        ("127.0.0.1:8080:80", "[::1]:8080:80", false), ("8080:80", "8081:80", false),
    ])
    func `two may want the same port of the host`(
        first: String, second: String, collide: Bool
    ) throws {
        let ports = try [first, second].map { try #require(PublishedPort($0)) }
        #expect(ports[0].collides(with: ports[1]) == collide)
    }

    @Test(
        arguments: [
            ("8080:80", "8080:80"), ("8080:80/tcp", "8080:80"), ("5353:53/udp", "5353:53/udp"),
            ("127.0.0.1:8080:80", "127.0.0.1:8080:80"), ("0.0.0.0:1:65535", "0.0.0.0:1:65535"),
            ("[::1]:8080:80/udp", "[::1]:8080:80/udp"), ("::1:8080:80", "[::1]:8080:80"),
        ])
    func `a port is read and written`(text: String, written: String) throws {
        let port = try #require(PublishedPort(text))
        #expect(port.description == written)
        #expect(PublishedPort(port.description) == port)
    }

    @Test(
        arguments: [
            "", "80", "80:", ":80", "0:80", "80:0", "65536:80", "a:80", "80:b", "80:80/sctp",
            "localhost:8080:80", "1.2.3:8080:80", "[::1:8080:80", "8080:80:90:100",
        ])
    func `what is no port is not read`(text: String) {
        #expect(PublishedPort(text) == nil)
    }

    @Test func `without an address it is on both loopbacks`() throws {
        #expect(
            try #require(PublishedPort("8080:80")).endpoints.map(\.description)
                == ["127.0.0.1:8080", "[::1]:8080"])
        #expect(
            try #require(PublishedPort("192.0.2.1:8080:80")).endpoints.map(\.description)
                == ["192.0.2.1:8080"])
    }
}

import LinkTesting
import LinuxKernel
import ProxyProtocols
import Testing

@Suite(.tags(.unit))
struct `A target of a proxy` {
    @Test(arguments: [
        "db.example:5432", "192.0.2.1:80", "[fd00::1]:443", "unix:/tmp/db.sock", "localhost:1",
    ])
    func `is written as it is read`(text: String) throws {
        #expect("\(try TargetAddress(text))" == text)
    }

    @Test(arguments: [
        "", "db.example", "db.example:", ":80", "db.example:0", "db.example:65536", "db:-1",
        "fd00::1:80", "[192.0.2.1]:80", "[fd00::1:80", "unix:relative", "unix:", "a b:80", "a/b:80",
        "db.example:8 0", "db.example:+80",
    ])
    func `that makes no sense is refused, and named`(text: String) {
        let error = #expect(throws: AddressProblem.self) { try TargetAddress(text) }
        if !text.isEmpty { #expect(error?.description.contains(text.prefix(3)) == true) }
    }

    @Test(arguments: [
        "127.0.0.1:1", "127.8.9.1:1", "[::1]:1", "0.0.0.0:1", "LocalHost:1",
        "a.localhost:1", "localhost.:1", "[::ffff:127.0.0.1]:1", "[::ffff:0.0.0.0]:1", "[::]:1",
    ])
    func `on the loopback is the host's`(text: String) throws {
        #expect(try TargetAddress(text).isLoopback)
    }

    @Test(arguments: [
        "192.0.2.1:1", "localhost.example:1", "[fd00::1]:1", "mylocalhost:1",
        "[::ffff:192.0.2.1]:1", "[::127.0.0.1]:1",
    ])
    func `elsewhere is not`(text: String) throws {
        #expect(try !TargetAddress(text).isLoopback)
    }
}

@Suite(.tags(.unit))
struct `An address of a listener` {
    @Test(arguments: [
        "127.0.0.1:5433", "[::1]:80", "localhost:80", "udp:127.0.0.1:53", "udp:localhost:53",
        "unix:/tmp/a.sock", "0.0.0.0:0",
    ])
    func `is written as it is read`(text: String) throws {
        #expect("\(try ListenAddress(text))" == text)
    }

    @Test func `may be a port alone, of both loopbacks`() throws {
        #expect("\(try ListenAddress("5433"))" == "localhost:5433")
        #expect(try ListenAddress("5433").isWithinHost)
        #expect(try ListenAddress("[::ffff:127.0.0.1]:5433").isWithinHost)
        #expect(try !ListenAddress("0.0.0.0:5433").isWithinHost)
    }

    @Test func `with any free port is one loopback, and gets the port`() throws {
        let address = try ListenAddress("localhost:0")
        #expect("\(address)" == "127.0.0.1:0")
        #expect("\(address.withPort(99))" == "127.0.0.1:99")
    }

    @Test(arguments: ["", ":80", "db.example:80", "udp:unix:/a", "::1:80", "65536", "unix:a"])
    func `that makes no sense is refused`(text: String) {
        #expect(throws: AddressProblem.self) { try ListenAddress(text) }
    }
}

@Suite(.tags(.unit))
struct `A forward` {
    @Test func `is a listener and a target`() throws {
        let forward = try ForwardArgument("unix:/tmp/a.sock=db.example:5432")
        #expect("\(forward.address) \(forward.target)" == "unix:/tmp/a.sock db.example:5432")
        #expect(
            "\(try ForwardArgument("1=unix:/tmp/a=b").target)" == "unix:/tmp/a=b")
    }

    @Test(arguments: ["127.0.0.1:5433", "127.0.0.1:1=", "=db:1", "udp:127.0.0.1:53=unix:/tmp/a"])
    func `that makes no sense is refused`(text: String) {
        #expect(throws: AddressProblem.self) { try ForwardArgument(text) }
    }
}

@Suite(.tags(.unit))
struct `The PROXY protocol` {
    private let client = Endpoint(IPAddress(ipv4: 0xc000_0201), port: 56324)
    private let listener = Endpoint(IPAddress(ipv4: 0xc000_0202), port: 443)

    @Test func `has a line in version 1`() {
        let line = ProxyHeader.v1(from: client, to: listener)
        #expect(
            String(decoding: line, as: UTF8.self)
                == "PROXY TCP4 192.0.2.1 192.0.2.2 56324 443\r\n")
        let six = Endpoint(IPAddress(ipv6High: 0, low: 1), port: 1)
        #expect(
            String(decoding: ProxyHeader.v1(from: six, to: six), as: UTF8.self)
                == "PROXY TCP6 ::1 ::1 1 1\r\n")
        #expect(ProxyHeader.v1(from: nil, to: nil) == Array("PROXY UNKNOWN\r\n".utf8))
    }

    @Test func `has a block in version 2`() {
        let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]
        #expect(
            ProxyHeader.v2(from: client, to: listener)
                == signature + [
                    0x21, 0x11, 0, 12, 192, 0, 2, 1, 192, 0, 2, 2, 0xdc, 0x04, 0x01, 0xbb,
                ])
        #expect(ProxyHeader.v2(from: nil, to: nil) == signature + [0x21, 0, 0, 0])
        let six = Endpoint(IPAddress(ipv6High: 0, low: 1), port: 1)
        #expect(ProxyHeader.v2(from: six, to: six).count == 16 + 36)
        #expect(ProxyHeader.v2(from: six, to: listener) == signature + [0x21, 0, 0, 0])
    }
}

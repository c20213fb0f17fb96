import LinkTesting
import Testing

@testable import Uplink

@Suite("Relay of datagrams", .requiresNamespaces, .serialized)
struct DatagramRelayTests {
    @Test func `Datagrams of all sizes come back from where they were sent`() async throws {
        try await TestSandbox.run { sandbox in
            try TestSandbox.withServer(
                TestSandbox.peer("datagram_echo_server 4000 127.0.0.1"), port: 4000
            ) { _ in
                try TestSandbox.withServer(
                    TestSandbox.peer("datagram_echo_server 4001 ::"), port: 4001
                ) { _ in
                    let sizes = [1, 2, 1199, 1452, 1472, 1473, 4001, 60_000]
                    let expected = sizes.map { "\($0) same\n" }.joined()
                    let list = sizes.map(String.init).joined(separator: ",")
                    for (host, port) in [
                        ("198.18.0.1", 4000), ("fd00:6c63::1", 4001), ("192.0.2.1", 4001),
                        ("2001:db8::1", 4001),
                    ] {
                        let answer = try sandbox.app(
                            TestSandbox.peer("datagram_client \(host) \(port) \(list)"))
                        #expect(answer == expected, "\(host)")
                    }
                }
            }
        }
    }

    @Test func `Nobody listening is told by ICMP`() async throws {
        try await TestSandbox.run { sandbox in
            for host in ["198.18.0.1", "fd00:6c63::1", "192.0.2.1", "2001:db8::1"] {
                let answer = try sandbox.app(TestSandbox.peer("datagram_refused \(host) 9"))
                #expect(answer == "ConnectionRefusedError\n", "\(host)")
            }
            // No route is told to programs as an error only where they ask for it: silence.
            let answer = try sandbox.app(TestSandbox.peer("datagram_refused 203.0.113.1 9"))
            #expect(answer.hasPrefix("TimeoutError") || answer.hasPrefix("OSError"))
        }
    }

    @Test func `More flows than there is room for replace the oldest`() async throws {
        try await TestSandbox.run { sandbox in
            try TestSandbox.withServer(TestSandbox.peer("datagram_echo_server 4000"), port: 4000) {
                _ in
                let answer = try sandbox.app(
                    TestSandbox.peer("many_flows 198.18.0.1 4000 6000"))
                #expect(answer == "6000 right\n")
            }
        }
    }

    @Test func `Port 53 of the gateway is the host's name server`() async throws {
        try await TestSandbox.run(nameServers: ["127.0.0.53"]) { sandbox in
            try TestSandbox.withServer(
                TestSandbox.peer("name_server 127.0.0.53 192.0.2.99"), port: 53
            ) { _ in
                for gateway in ["198.18.0.1", "fd00:6c63::1"] {
                    for transport in ["udp", "tcp"] {
                        let answer = try sandbox.app(
                            TestSandbox.peer("resolve \(gateway) \(transport)"))
                        #expect(answer == "192.0.2.99\n", "\(gateway) \(transport)")
                    }
                }
            }
        }
    }

    @Test func `A name server that refuses or keeps silent is replaced by the next`() async throws {
        let nameServers = ["127.0.0.51", "127.0.0.52", "127.0.0.53"]
        try await TestSandbox.run(nameServers: nameServers) { sandbox in
            // The first refuses, and the second hears and says nothing.
            try TestSandbox.withServer(TestSandbox.peer("silent_name_server 127.0.0.52"), port: 53)
            { _ in
                let next = try TestSandbox.startProcess(
                    TestSandbox.peer("name_server 127.0.0.53 192.0.2.99"))
                defer { _ = try? shell("kill -9 \(next)") }
                try shell("sleep 0.3")
                for transport in ["tcp", "udp"] {
                    let answer = try sandbox.app(
                        TestSandbox.peer("resolve 198.18.0.1 \(transport)"))
                    #expect(answer == "192.0.2.99\n", "\(transport)")
                }
            }
        }
    }

    @Test func `The outside answers pings where ping needs no privilege`() async throws {
        try await TestSandbox.run { sandbox in
            let ping = "ping -c 2 -i 0.2 -W 1 -q"
            func received(_ address: String, size: Int = 56) throws -> Bool {
                try sandbox.app("\(ping) -s \(size) \(address) || true")
                    .contains(" 2 received, 0% packet loss")
            }
            // The far side must not answer for others.
            #expect(try !received("192.0.2.1"))
            #expect(try received("198.18.0.1"))
            #expect(try received("fd00:6c63::3"))
            try shell("echo 0 2147483647 >/proc/sys/net/ipv4/ping_group_range")
            #expect(try received("192.0.2.1"))
            #expect(try received("2001:db8::1", size: 1400))
            #expect(try !received("203.0.113.1"))
        }
    }
}

import LinkModel
import LinkTesting
import LinuxKernel
import Testing

@testable import Uplink

@Suite("Relay of datagrams", .requiresNamespaces, .serialized, .tags(.contrary))
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

    /// Runs `body` while reflecting servers are on two ports of the host.
    private func withReflectingServers(_ body: () throws -> Void) throws {
        try TestSandbox.withServer(TestSandbox.peer("reflecting_server 4000"), port: 4000) { _ in
            try TestSandbox.withServer(
                TestSandbox.peer("reflecting_server 4001"), port: 4001
            ) { _ in try body() }
        }
    }

    @Test func `One port of the app is one of the host, and hears answers from others`()
        async throws
    {
        try await TestSandbox.run { sandbox in
            try withReflectingServers {
                for hosts in [["198.18.0.1", "192.0.2.1"], ["fd00:6c63::1", "2001:db8::1"]] {
                    let places = hosts.flatMap { ["\($0)/4000", "\($0)/4001"] }
                    let answer = try sandbox.app(
                        TestSandbox.peer("one_port \(places.joined(separator: " "))"))
                    let answers = hosts.flatMap { [$0, $0] }
                    #expect(answer == "1 \(answers.joined(separator: " "))\n")
                }
            }
        }
    }

    @Test func `Of several that a socket sends to, the one that refuses is told`() async throws {
        try await TestSandbox.run { sandbox in
            try TestSandbox.withServer(TestSandbox.peer("datagram_echo_server 4000"), port: 4000) {
                _ in
                for host in ["198.18.0.1", "fd00:6c63::1", "192.0.2.1", "2001:db8::1"] {
                    let answer = try sandbox.app(
                        TestSandbox.peer("refused_among \(host) 9 4000"))
                    #expect(
                        answer == "\(host) 9 to nobody Connection refused\nto somebody\n")
                }
            }
        }
    }

    @Test func `A server on one of the loopbacks is reached by both families`() async throws {
        try await TestSandbox.run { sandbox in
            for loopback in ["127.0.0.1", "::1"] {
                try TestSandbox.withServer(
                    TestSandbox.peer("datagram_echo_server 4000 \(loopback)"), port: 4000
                ) { _ in
                    for host in ["198.18.0.1", "fd00:6c63::1"] {
                        let answer = try sandbox.app(
                            TestSandbox.peer("datagram_client \(host) 4000 100,1000,4000"))
                        #expect(
                            answer == "100 same\n1000 same\n4000 same\n",
                            "\(host) by \(loopback)")
                    }
                }
            }
        }
    }

    @Test func `A server on one of the loopbacks hears bursts from the first datagram on`()
        async throws
    {
        try await TestSandbox.run { sandbox in
            for (loopback, port) in [("127.0.0.1", 4000), ("::1", 4001)] {
                try TestSandbox.withServer(
                    TestSandbox.peer("datagram_echo_server \(port) \(loopback)"), port: port
                ) { _ in
                    for host in ["198.18.0.1", "fd00:6c63::1"] {
                        let answer = try sandbox.app(
                            TestSandbox.peer("connected_burst \(host) \(port)"))
                        #expect(answer == "as sent\n", "\(host) by \(loopback)")
                    }
                }
            }
        }
    }

    @Test func `Bursts arrive as a whole in both directions`() async throws {
        try await TestSandbox.run { sandbox in
            try TestSandbox.withServer(
                TestSandbox.peer("burst_server 4000 4000 1200"), port: 4000
            ) { _ in
                let answer = try sandbox.app(TestSandbox.peer("ask_for_burst 198.18.0.1 4000"))
                #expect(answer == "4000\n")
            }
            try TestSandbox.withServer(TestSandbox.peer("burst_sink 4001"), port: 4001) { _ in
                let answer = try sandbox.app(
                    TestSandbox.peer("send_burst 198.18.0.1 4001 6000 1200"))
                #expect(answer == "6000\n")
            }
            sandbox.relay.stop()
            #expect(sandbox.relay.losses == UplinkLosses())
        }
    }

    @Test func `What is sent at once keeps its borders and its order`() async throws {
        try await TestSandbox.run { sandbox in
            try TestSandbox.withServer(TestSandbox.peer("datagram_echo_server 4000"), port: 4000) {
                _ in
                try TestSandbox.withServer(
                    TestSandbox.peer("datagram_echo_server 4001"), port: 4001
                ) { _ in
                    for host in ["198.18.0.1", "fd00:6c63::1"] {
                        let answer = try sandbox.app(
                            TestSandbox.peer("exchange_bursts \(host) 4000 4001"))
                        #expect(answer == "20 right\n", "\(host)")
                    }
                }
            }
            for host in ["198.18.0.1", "fd00:6c63::1", "192.0.2.1", "2001:db8::1"] {
                let answer = try sandbox.app(TestSandbox.peer("burst_refused \(host) 9"))
                #expect(answer == "ConnectionRefusedError\n", "\(host)")
            }
        }
    }

    @Test func `What the app sends at once reaches the host at once`() async throws {
        try await TestSandbox.run { sandbox in
            try TestSandbox.withServer(TestSandbox.peer("train_server 4000"), port: 4000) { _ in
                let answer = try sandbox.app(TestSandbox.peer("send_train 198.18.0.1 4000"))
                #expect(answer == "at once\n")
            }
        }
    }

    @Test(
        .enabled("before Linux 6.2 no kernel takes such trains") {
            KernelRelease.running.carriesDatagramTrains
        })
    func `What the host sends at once reaches the app at once`() async throws {
        try await TestSandbox.run { sandbox in
            try TestSandbox.withServer(
                TestSandbox.peer("train_answering_server 4000"), port: 4000
            ) { _ in
                for host in ["198.18.0.1", "fd00:6c63::1", "192.0.2.1", "2001:db8::1"] {
                    let ask = TestSandbox.peer("ask_for_trains \(host) 4000")
                    #expect(try sandbox.app(ask) == "at once, right\n", "\(host)")
                    // An app that changes its Ethernet address hears them again.
                    try sandbox.app("ip link set eth0 address 02:00:00:00:00:0\(host.count % 10)")
                    #expect(try sandbox.app(ask) == "at once, right\n", "\(host)")
                }
            }
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

    @Test func `Each name server of the app is one of the host's until that fails`() {
        var resolver = HostResolver(
            resolvConf: "nameserver 192.0.2.1\nnameserver 192.0.2.2\nnameserver 192.0.2.3\n")
        func order(_ index: Int) -> [String] {
            resolver.candidates(from: index).map { $0.address.description }
        }
        #expect(order(0) == ["192.0.2.1", "192.0.2.2", "192.0.2.3"])
        #expect(order(1) == ["192.0.2.2", "192.0.2.3", "192.0.2.1"])
        let second = resolver.candidates(from: 1)[0]
        #expect(resolver.successor(of: second).address.description == "192.0.2.3")
        resolver.report(failureOf: second)
        #expect(order(0).first == "192.0.2.1")
        resolver.report(failureOf: resolver.candidates()[0])
        #expect(order(0).first == "192.0.2.2")
        #expect(order(2).first == "192.0.2.1")
    }

    @Test func `Name servers are those that the file names now`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("nameserver 192.0.2.1\n", to: "resolv.conf")
            var resolver = HostResolver(following: path)
            func first() -> String? {
                resolver.refresh()
                return resolver.candidates().first?.address.description
            }
            #expect(first() == "192.0.2.1")
            for (text, server) in [
                ("", "192.0.2.1"), ("nameserver 192.0.2.2\nnameserver 192.0.2.3\n", "192.0.2.2"),
            ] {
                try shell("rm '\(path)'")
                #expect(first() != nil)
                _ = try directory.write(text, to: "resolv.conf")
                #expect(first() == server)
            }
        }
    }

    @Test func `What there was no room for is counted apart from what was damaged`() {
        let ipv4 = """
            Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors \
            InCsumErrors IgnoredMulti MemErrors
            Udp: 10 1 9 20 4 7 3 0 2
            UdpLite: InDatagrams RcvbufErrors
            UdpLite: 0 0
            """
        #expect(DatagramCounters.withoutRoom(in: ipv4) == 6)
        let ipv6 = """
            Ip6InReceives                   \t9
            Udp6RcvbufErrors                \t4
            Udp6InCsumErrors                \t3
            Udp6MemErrors                   \t1
            """
        #expect(DatagramCounters.withoutRoom(in: ipv6) == 5)
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
                try shell("until ss -Htln src 127.0.0.53 | grep -q :53; do sleep 0.01; done")
                for transport in ["tcp", "udp"] {
                    let answer = try sandbox.app(
                        TestSandbox.peer("resolve 198.18.0.1 \(transport)"))
                    #expect(answer == "192.0.2.99\n", "\(transport)")
                }
            }
        }
    }

    @Test func `The outside answers pings, also where these need privilege`() async throws {
        try await TestSandbox.run { sandbox in
            // For the second answer ping waits as long as its interval.
            func received(
                _ address: String, size: Int = 56, within seconds: Int = 20
            ) throws -> Bool {
                let ping = "ping -c 2 -i 1 -W \(seconds) -q"
                return try sandbox.app("\(ping) -s \(size) \(address) || true")
                    .contains(" 2 received, 0% packet loss")
            }
            // The far side must not answer for others.
            #expect(try !received("203.0.113.1", within: 1))
            #expect(try received("192.0.2.1"))
            #expect(try received("2001:db8::1", size: 1400))
            #expect(try received("198.18.0.1"))
            #expect(try received("fd00:6c63::3"))
            try shell("echo 0 2147483647 >/proc/sys/net/ipv4/ping_group_range")
            #expect(try received("192.0.2.1"))
            #expect(try received("2001:db8::1", size: 1400))
            let unreachable = try sandbox.app("ping -c 1 -W 20 203.0.113.1 || true")
            #expect(unreachable.contains("Destination Net Unreachable"), "\(unreachable)")
        }
    }
}

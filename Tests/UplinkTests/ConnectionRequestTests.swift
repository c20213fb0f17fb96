import LinkTesting
import Testing

@testable import Uplink

@Suite("Connection requests", .requiresNamespaces, .serialized, .tags(.contrary))
struct ConnectionRequestTests {
    /// Expects how the app's attempt to connect ends.
    private func expect(
        _ outcome: String, _ sandbox: TestSandbox, _ host: String, port: Int = 9,
        within seconds: Int = 30, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try sandbox.app(TestSandbox.peer("connect \(host) \(port) \(seconds)"))
        #expect(result == outcome + "\n", "\(host)", sourceLocation: sourceLocation)
    }

    @Test func `Nobody listening is a refusal, at once`() async throws {
        try await TestSandbox.run { sandbox in
            for host in ["198.18.0.1", "fd00:6c63::1", "192.0.2.1", "2001:db8::1"] {
                try expect("ConnectionRefusedError 111 at once", sandbox, host)
            }
            let result = try sandbox.app("curl -sS -m 30 http://198.18.0.1:9/; echo code $?")
            #expect(result.contains("code 7"))
        }
    }

    @Test func `A service of IPv4 alone is found by a name with both addresses`() async throws {
        try await TestSandbox.run { sandbox in
            try TestSandbox.withServer(
                "python3 -m http.server --bind 127.0.0.1 8000", port: 8000
            ) { _ in
                let result = try sandbox.app(
                    """
                    curl -s -m 30 -o /dev/null -w '%{http_code} %{remote_ip}' \\
                        --resolve 'host.linkcond:8000:[fd00:6c63::1],198.18.0.1' \\
                        http://host.linkcond:8000/
                    """)
                #expect(result == "200 fd00:6c63::1")
            }
        }
    }

    @Test func `A server on one loopback is there by both addresses of the host`() async throws {
        for loopback in ["127.0.0.1", "::1"] {
            try await TestSandbox.run { sandbox in
                try TestSandbox.withServer(
                    "python3 -m http.server --bind \(loopback) 8000", port: 8000
                ) { _ in
                    for host in ["198.18.0.1", "fd00:6c63::1"] {
                        try expect("connected at once", sandbox, host, port: 8000)
                    }
                    // The host's other addresses are no loopbacks.
                    try expect(
                        "ConnectionRefusedError 111 at once", sandbox, "192.0.2.1", port: 8000)
                }
            }
        }
    }

    @Test func `A loopback that refuses is a refusal though there is no other`() async throws {
        try await TestSandbox.run { sandbox in
            try shell("ip -6 address del ::1/128 dev lo")
            try expect("ConnectionRefusedError 111 at once", sandbox, "198.18.0.1")
            try expect("ConnectionRefusedError 111 at once", sandbox, "fd00:6c63::1")
        }
    }

    @Test func `No route is told by ICMP, at once`() async throws {
        try await TestSandbox.run { sandbox in
            // The stand-in for the host has no routes but to itself.
            try expect("OSError 101 at once", sandbox, "203.0.113.1")
            try expect("OSError 101 at once", sandbox, "2001:db8:1::1")
            try shell(
                """
                ip route add unreachable 203.0.113.2
                ip route add prohibit 203.0.113.3
                ip -6 route add unreachable 2001:db8:1::2
                ip -6 route add prohibit 2001:db8:1::3
                """)
            try expect("OSError 113 at once", sandbox, "203.0.113.2")
            try expect("OSError 113 at once", sandbox, "203.0.113.3")
            try expect("OSError 113 at once", sandbox, "2001:db8:1::2")
            try expect("PermissionError 13 at once", sandbox, "2001:db8:1::3")
        }
    }

    @Test func `A host that keeps silent is silent`() async throws {
        try await TestSandbox.run { sandbox in
            try shell(
                """
                ip link add hole type veth peer name bottom
                ip link set hole up arp off
                ip link set bottom up
                ip route add 203.0.113.0/24 dev hole
                """)
            try expect("TimeoutError None late", sandbox, "203.0.113.1", within: 3)
        }
    }

    @Test func `The far side's servers are reached without the relay`() async throws {
        try await TestSandbox.run { sandbox in
            try expect("ConnectionRefusedError 111 at once", sandbox, "198.18.0.3")
            try sandbox.far("iperf3 -s -D")
            try expect("connected at once", sandbox, "198.18.0.3", port: 5201)
            try expect("connected at once", sandbox, "fd00:6c63::3", port: 5201)
            try expect("ConnectionRefusedError 111 at once", sandbox, "198.18.0.1", port: 5201)
        }
    }

    @Test func `An address of the app's own network that nobody has is unreachable`() async throws {
        try await TestSandbox.run { sandbox in
            let result = try sandbox.app(
                "ping -c 1 -W 1 198.18.0.77 >/dev/null; ip neigh show 198.18.0.77")
            #expect(!result.contains("lladdr"))
        }
    }
}

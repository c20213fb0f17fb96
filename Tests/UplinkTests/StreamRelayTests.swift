import LinkTesting
import Testing

@testable import Uplink

@Suite("Relay of TCP", .requiresNamespaces, .serialized, .tags(.contrary))
struct StreamRelayTests {
    static let hosts = ["198.18.0.1", "fd00:6c63::1", "192.0.2.1", "2001:db8::1"]

    @Test func `A page of the host's loopback arrives whole, by IPv4 and by IPv6`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path
            try shell("head -c 5000000 /dev/urandom >\(path)/file")
            let expected = try shell("sha256sum <\(path)/file")
            try await TestSandbox.run { sandbox in
                try TestSandbox.withServer(
                    "python3 -m http.server --bind :: --directory \(path) 8000", port: 8000
                ) { _ in
                    for host in ["198.18.0.1", "[fd00:6c63::1]", "192.0.2.1", "[2001:db8::1]"] {
                        let sum = try sandbox.app(
                            "curl -sSf -m 20 http://\(host):8000/file | sha256sum")
                        #expect(sum == expected, "\(host)")
                    }
                }
            }
        }
    }

    @Test func `A fast stream arrives whole, though its reader pauses`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path
            try shell("head -c 60000000 /dev/urandom >\(path)/file")
            let expected = try shell("sha256sum <\(path)/file")
            try await TestSandbox.run { sandbox in
                try TestSandbox.withServer(TestSandbox.peer("half_close_server 8000"), port: 8000) {
                    _ in
                    let answer = try sandbox.app(
                        TestSandbox.peer("half_close_client 198.18.0.1 8000 200000000"))
                    #expect(answer == "same\n")
                }
                try TestSandbox.withServer(
                    "python3 -m http.server --bind :: --directory \(path) 8000", port: 8000
                ) { _ in
                    let sum = try sandbox.app(
                        """
                        curl -sSf -m 30 http://198.18.0.1:8000/file |
                            { head -c 20000000; sleep 0.2; head -c 20000000; sleep 0.2; cat; } |
                            sha256sum
                        """)
                    #expect(sum == expected)
                }
            }
        }
    }

    @Test func `Each end may stop sending and still hear the other`() async throws {
        try await TestSandbox.run { sandbox in
            try TestSandbox.withServer(TestSandbox.peer("half_close_server 8000"), port: 8000) {
                _ in
                let answer = try sandbox.app(
                    TestSandbox.peer("half_close_client 198.18.0.1 8000 3000000"))
                #expect(answer == "same\n")
            }
            try TestSandbox.withServer(TestSandbox.peer("early_close_server 8001"), port: 8001) {
                _ in
                let answer = try sandbox.app(
                    TestSandbox.peer("early_close_client fd00:6c63::1 8001"))
                #expect(answer == "banner 300000\n")
            }
        }
    }

    @Test func `A reset of one end is a reset at the other`() async throws {
        try await withTemporaryDirectory { directory in
            let log = directory.path + "/log"
            try await TestSandbox.run { sandbox in
                try TestSandbox.withServer(
                    TestSandbox.peer("resetting_server 8000"), port: 8000
                ) { _ in
                    let answer = try sandbox.app(TestSandbox.peer("expect_reset 198.18.0.1 8000"))
                    #expect(answer == "reset after 7\n")
                }
                try TestSandbox.withServer(
                    TestSandbox.peer("endless_server 8001 \(log)"), port: 8001
                ) { _ in
                    try sandbox.app(TestSandbox.peer("reset_by_client 198.18.0.1 8001"))
                    let outcome = try shell(
                        """
                        for attempt in $(seq 500); do [ -s \(log) ] && break; sleep 0.02; done
                        cat \(log)
                        """)
                    #expect(outcome == "ConnectionResetError\n")
                }
            }
        }
    }

    @Test func `A server killed in the middle of a transfer is a reset`() async throws {
        try await TestSandbox.run { sandbox in
            try TestSandbox.withServer(
                TestSandbox.peer("endless_server 8000 /dev/null waits"), port: 8000
            ) { server in
                // What the client wrote and the server never read makes the kernel reset.
                let answer = try sandbox.app(
                    """
                    \(TestSandbox.peer("expect_reset 198.18.0.1 8000 \(server)"))
                    """)
                #expect(answer.hasPrefix("reset after "))
            }
        }
    }

    @Test func `A thousand connections at once do not mix`() async throws {
        try await TestSandbox.run { sandbox in
            try TestSandbox.withServer(TestSandbox.peer("echo_server 8000"), port: 8000) { _ in
                for host in ["198.18.0.1", "fd00:6c63::1"] {
                    let answer = try sandbox.app(
                        TestSandbox.peer("parallel_client \(host) 8000 1000"))
                    #expect(answer == "1000 right\n")
                }
            }
        }
    }

    @Test func `Without a link, the host sees large windows and segments, and the app no pacing`()
        async throws
    {
        try await TestSandbox.run(isDirect: true) { sandbox in
            try TestSandbox.withServer(TestSandbox.peer("echo_server 8000"), port: 8000) { _ in
                let client = try sandbox.app(
                    "\(TestSandbox.peer("idle_client 198.18.0.1 8000 60")) >/dev/null 2>&1 & echo $!"
                )
                defer { _ = try? shell("kill -9 \(client)") }
                let list = """
                    for attempt in $(seq 500); do
                        ss -Htin state established "sport = :8000" | grep . && exit
                        sleep 0.01
                    done
                    """
                let (server, relay) = (try shell(list), try sandbox.far(list))
                #expect(server.contains(/wscale:[1-9]/))
                #expect(server.contains(/mss:\d{5}/))
                #expect(relay.contains(" reno "))
            }
        }
    }

    @Test(arguments: [false, true])
    func `An app that does not read holds the server back`(isDirect: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let log = directory.path + "/log"
            try await TestSandbox.run(isDirect: isDirect) { sandbox in
                try TestSandbox.withServer(
                    TestSandbox.peer("endless_server 8000 \(log)"), port: 8000
                ) { _ in
                    try sandbox.app(
                        """
                        \(TestSandbox.peer("idle_client 198.18.0.1 8000 60")) & client=$!
                        for attempt in $(seq 500); do [ -s \(log) ] && break; sleep 0.1; done
                        kill $client
                        """)
                    let taken = try #require(Int(shell("head -n 1 \(log)").filter(\.isNumber)))
                    // The app's receive buffer, the server's send buffer, and what the far side
                    // is about to send: none of it waits in the relay.
                    #expect(taken < 4_000_000)
                }
            }
        }
    }

    /// The bound is what two sets of buffers hold; those of a stream that was always slow are small.
    @Test(arguments: [(50_000, 1_500_000), (4000, 400_000)])
    func `A server finds that the link is dead as if it were its own`(
        size: Int, mostSent: Int
    ) async throws {
        try await withTemporaryDirectory { directory in
            let log = directory.path + "/log"
            try await TestSandbox.run { sandbox in
                try TestSandbox.withServer(
                    TestSandbox.peer("patient_server 8000 \(log) \(size)"), port: 8000
                ) { _ in
                    try sandbox.app(
                        """
                        timeout 60 \(TestSandbox.peer("read_bytes 198.18.0.1 8000 100000")) |
                            { read -r word; ip link set eth0 down; }
                        """)
                    let end = try shell(
                        """
                        for attempt in $(seq 400); do
                            test -s \(log) && exec cat \(log)
                            sleep 0.1
                        done
                        """
                    ).split(separator: " ")
                    // ETIMEDOUT.
                    try #require(end.count == 2)
                    #expect(end[0] == "110")
                    let sent = try #require(Int(end[1].filter(\.isNumber)))
                    #expect(sent < mostSent)
                }
            }
        }
    }

    @Test func `An urgent byte stays urgent, and where it was`() async throws {
        try await TestSandbox.run { sandbox in
            try TestSandbox.withServer(TestSandbox.peer("urgent_server 8000"), port: 8000) { _ in
                for host in ["198.18.0.1", "fd00:6c63::1"] {
                    let answer = try sandbox.app(TestSandbox.peer("urgent_client \(host) 8000"))
                    #expect(
                        answer == "abc[!]def / abc[!]def\nabcdef ! / abcdef !\n", "\(host)")
                }
            }
        }
    }

    @Test func `A gibibyte takes little longer than without the relay`() async throws {
        try await TestSandbox.run { sandbox in
            func seconds(_ address: String) throws -> Double {
                let report = try sandbox.app(
                    "iperf3 -c \(address) -n 1G -J | jq .end.sum_received.seconds")
                return try #require(Double(report.filter { !$0.isWhitespace }))
            }
            try TestSandbox.withServer("iperf3 -s", port: 5201) { _ in
                try sandbox.far("iperf3 -s -D")
                let direct = try seconds("198.18.0.3")
                let relayed = try seconds("198.18.0.1")
                print("1 GiB: direct \(direct) s, relayed \(relayed) s")
                #expect(relayed < 6 * direct)
            }
        }
    }
}

import Foundation
import LinkTesting
import Testing

/// Questions for names by TCP, as programs ask them that nobody here wrote.
@Suite("Names by TCP in a run", .requiresNamespaces, .tags(.anyKernel))
struct RunNameStreamTests {
    /// A name server that knows `four.example` by IPv4 alone, and a name whose answers have no room in
    /// datagrams.
    private static let server =
        "exec dnsmasq --keep-in-foreground --user=root --pid-file= --conf-file=/dev/null --no-resolv "
        + "--no-hosts --address=/four.example/198.18.0.3 "
        + (1...100).map { "--host-record=many.example,192.0.2.\($0) " }.joined()
        + "--bind-interfaces --listen-address="
    private static let nameServer = "fd6c:696e:6b63::1"

    private static func run(
        _ middle: String, _ options: [String] = [], _ script: String, by caller: Caller = .root
    ) async throws -> String {
        try await SandboxedRun(
            arguments: [
                "Wi-Fi", "--set", "middle={ \(middle) }", "--uplink", "none", "--server",
                server + nameServer, "--server-ready", "53",
            ] + options + ["--", "sh", "-c", script], by: caller
        ).output()
    }

    @Test(arguments: Caller.allCases)
    func `dig gets addresses of the NAT64 by TCP, and names have all of theirs`(
        caller: Caller
    ) async throws {
        let output = try await Self.run(
            "family: nat64", [],
            """
            dig +tcp +short AAAA four.example; dig +tcp +short A four.example
            dig +tcp +short AAAA ipv4only.arpa | sort
            dig +tcp +keepopen +short four.example AAAA none.example AAAA four.example A
            dig +short AAAA many.example | sort -u | wc -l
            getent ahostsv6 many.example | grep -c STREAM
            dig +tcp AAAA none.example | sed -n 's/.*status: \\([A-Z]*\\).*/\\1/p'
            """, by: caller)
        #expect(
            output == "64:ff9b::c612:3\n198.18.0.3\n64:ff9b::c000:aa\n64:ff9b::c000:ab\n"
                + "64:ff9b::c612:3\n198.18.0.3\n100\n100\nREFUSED\n")
    }

    @Test func `the statistics count names that got addresses by TCP`() async throws {
        try await RecordingFiles.with { files in
            _ = try await Self.run(
                "family: nat64", files.options,
                "dig +tcp AAAA four.example; dig +tcp AAAA a.four.example; dig +tcp AAAA ipv4only.arpa"
            )
            let text = try String(contentsOfFile: files.stats, encoding: .utf8)
            try await JSONSchema("statistics").expectValid(text)
            // The middle itself answers what leads to the prefix.
            #expect(text.contains("\"synthesizedQuestions\" : 1,"), "\(text)")
            #expect(text.contains("\"synthesizedQuestions\" : 2,"), "\(text)")
        }
    }

    @Test func `one connection carries messages in any portions`() async throws {
        let output = try await Self.run(
            "family: nat64", [],
            """
            python3 -c '
            import socket, struct, time
            def question(number, name):
                labels = b"".join(bytes([len(x)]) + x.encode() for x in name.split("."))
                body = struct.pack(">HHHHHH", number, 256, 1, 0, 0, 0) + labels + b"\\0\\0\\x1c\\0\\1"
                return struct.pack(">H", len(body)) + body
            one = socket.create_connection(("\(Self.nameServer)", 53), timeout=30)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            stream = b"".join(question(n, "a%d.four.example" % n) for n in range(1, 41))
            for place in range(0, len(stream), 7):
                one.send(stream[place:place + 7])
                # Meanwhile the server is asked for addresses of IPv4.
                if place % 350 == 0: time.sleep(0.1)
            one.shutdown(socket.SHUT_WR)
            data = b""
            while part := one.recv(999): data += part
            seen = set()
            while data:
                size, = struct.unpack(">H", data[:2])
                message, data = data[2:2 + size], data[2 + size:]
                if message.endswith(bytes.fromhex("0064ff9b0000000000000000c6120003")):
                    seen.add(struct.unpack(">H", message[:2]))
            print(len(seen))'
            """)
        #expect(output == "40\n")
    }

    @Test(arguments: [
        (
            "nxdomain: \"*.ads.example\"", "NXDOMAIN\nNOERROR\n198.18.0.3\n",
            "unknownNameQuestions", 1
        ),
        ("servfail: 100%", "SERVFAIL\nSERVFAIL\n", "failedQuestions", 3),
        (
            "wrong-answer: { address: 203.0.113.7 }",
            "NOERROR\nNOERROR\n203.0.113.7\n", "misledQuestions", 3
        ),
        ("delay: 1 ms", "REFUSED\nNOERROR\n198.18.0.3\n", "misledQuestions", 0),
    ])
    func `a failing name server fails by TCP too, and it counts`(
        dns: String, output: String, counter: String, count: Int
    ) async throws {
        try await RecordingFiles.with { files in
            let seen = try await Self.run(
                "dns: { \(dns) }", files.options,
                """
                ask() { dig +tcp @\(Self.nameServer) "$@"; }
                status() { ask "$@" | sed -n 's/.*status: \\([A-Z]*\\).*/\\1/p'; }
                status a.ads.example; status four.example; ask +short four.example
                """)
            #expect(seen == output)
            let text = try String(contentsOfFile: files.stats, encoding: .utf8)
            #expect(text.contains("\"\(counter)\" : \(count),"), "\(text)")
        }
    }

    @Test(arguments: [
        "family: nat64", "dns: { servfail: 1% }", "nat: { kind: symmetric }, dns: { servfail: 1% }",
    ])
    func `a name server that is not there ends the connection`(middle: String) async throws {
        let output = try await SandboxedRun(arguments: [
            "Wi-Fi", "--set", "middle={ \(middle) }", "--seed", "1", "--uplink", "none",
            "--server", "sleep 600", "--", "sh", "-c",
            """
            for address in fd6c:696e:6b63::1 fd6c:696e:6b63::9 198.18.0.1; do
                dig +tcp +tries=1 @$address four.example >/dev/null; echo $?
            done
            """,
        ]).output()
        #expect(output == "9\n9\n9\n")
    }

    /// The relay carries what the middle asks the host's name server.
    @Test(arguments: Caller.allCases)
    func `the host's own name server is asked through the uplink`(caller: Caller) async throws {
        let result = try await StandInHost.script(
            """
            echo 'nameserver 127.0.0.1' >$DIRECTORY/resolv.conf
            mount --bind $DIRECTORY/resolv.conf /etc/resolv.conf
            trap 'kill $(jobs -p)' EXIT
            \(Self.server.dropFirst(5))127.0.0.1 >/dev/null &
            until dig +short four.example | grep -q 198; do sleep 0.05; done
            (run Wi-Fi --set "middle={ family: nat64 }" -- sh -c '
                dig +tcp +short AAAA four.example; dig +short AAAA many.example | wc -l')
            """, by: caller)
        #expect(result.standardOutput == "64:ff9b::c612:3\n100\n", "\(result)")
    }
}

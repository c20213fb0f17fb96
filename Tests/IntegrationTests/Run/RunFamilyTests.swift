import Foundation
import LinkTesting
import Testing

/// Networks of one family, as programs see them that nobody here wrote.
@Suite("A run's network of one family", .requiresNamespaces, .tags(.anyKernel))
struct RunFamilyTests {
    /// A name server that knows `four.example` by IPv4 alone, and `both.example`; and a web server that
    /// listens on IPv4 alone.
    private static let servers = [
        "--uplink", "none", "--server",
        "exec dnsmasq --keep-in-foreground --user=root --pid-file= --conf-file=/dev/null --no-resolv "
            + "--no-hosts --address=/four.example/198.18.0.3 --address=/both.example/198.18.0.3 "
            + "--address=/both.example/fd6c:696e:6b63::3 "
            + "--listen-address=fd6c:696e:6b63::1 --bind-interfaces",
        "--server-ready", "53",
    ]

    private static func web(in directory: String) -> [String] {
        [
            "--server",
            "exec python3 -m http.server --bind 198.18.0.3 --directory \(directory) 8000 2>/dev/null",
            "--server-ready", "8000",
        ]
    }

    private static func options(_ family: String, _ others: String...) -> [String] {
        [
            "Wi-Fi", "--set",
            "middle={ \((["family: \(family)"] + others).joined(separator: ", ")) }",
        ]
    }

    private static let functions = """
        get() { curl -s -o /dev/null -m 30 -w '%{http_code} ' "$@"; echo $?; }
        connect() {
            python3 -c '
        import socket, sys
        try:
            socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=30)
            print("connected")
        except OSError as error:
            print(error.strerror)' "$@"
        }

        """

    private static func run(
        _ options: [String], _ script: String, by caller: Caller = .root
    ) async throws -> String {
        try await SandboxedRun(
            arguments: options + ["--", "sh", "-c", functions + script], by: caller
        ).output()
    }

    @Test(arguments: Caller.allCases)
    func `names lead through the NAT64, literal addresses do not`(caller: Caller) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("content\n", to: "file")
            let output = try await Self.run(
                Self.options("nat64") + Self.servers + Self.web(in: directory.path),
                """
                get http://four.example:8000/file
                get http://server.linkcond:8000/file
                get http://198.18.0.3:8000/file
                connect 198.18.0.3 8000
                connect four.example 8000
                getent ahosts four.example | sed 's/ .*//' | sort -u
                getent ahostsv6 ipv4only.arpa | sed 's/ .*//' | sort -u
                dig +short AAAA four.example; dig +short A four.example; dig +short AAAA both.example
                ping -6 -c 1 -W 20 four.example >/dev/null && echo pong
                ip -4 route; ip -4 address show dev eth0
                """, by: caller)
            let translated = "64:ff9b::c612:3\n"
            #expect(
                output == "200 0\n200 0\n000 7\nNetwork is unreachable\nconnected\n" + translated
                    + "64:ff9b::c000:aa\n64:ff9b::c000:ab\n" + translated
                    + "198.18.0.3\nfd6c:696e:6b63::3\npong\n")
        }
    }

    @Test(arguments: [
        ("ipv4", "connected\nNetwork is unreachable\nNetwork is unreachable\nfalse\n"),
        ("ipv6", "Network is unreachable\nconnected\nNetwork is unreachable\ntrue\n"),
        ("nat64", "Network is unreachable\nconnected\nconnected\ntrue\n"),
    ])
    func `programs see what the network has`(family: String, output: String) async throws {
        let program = try SandboxedRun.program()
        let seen = try await Self.run(
            Self.options(family) + [
                "--uplink", "none", "--server",
                "exec python3 -c 'import http.server as h, socket\nclass S(h.HTTPServer): address_family = "
                    + "socket.AF_INET6\nS((\"::\", 8000), h.SimpleHTTPRequestHandler).serve_forever()'",
                "--server-ready", "8000",
            ],
            """
            connect 198.18.0.3 8000
            connect fd6c:696e:6b63::3 8000
            connect 64:ff9b::c612:3 8000
            \(program) path --json | sed -n 's/.*"supportsIPv6" : \\([a-z]*\\).*/\\1/p' | head -n 1
            """)
        #expect(seen == output)
    }

    @Test func `iperf3, git and large datagrams cross in both directions, and are counted`()
        async throws
    {
        try await RecordingFiles.with { files in
            let directory = files.directory.path
            let output = try await Self.run(
                Self.options("nat64") + Self.servers + Self.web(in: directory) + files.options + [
                    "--server", "exec iperf3 -4 --server --bind 198.18.0.3 >/dev/null",
                    "--server-ready", "5201", "--set", "down.mtu=1400",
                    "--set", "down.duplicate=1%",
                ],
                """
                cd \(directory) && export HOME=\(directory) GIT_CONFIG_NOSYSTEM=1
                git init -q origin && cd origin
                head -c 300000 /dev/urandom >file && git add file
                git -c user.name=a -c user.email=a@b commit -qm one && git update-server-info && cd ..
                git clone -q http://four.example:8000/origin/.git clone
                cmp origin/file clone/file && echo cloned
                # Its server may be busy with the end of the last test.
                load() { until iperf3 -6 -c four.example $* >/dev/null 2>&1; do sleep 0.2; done; }
                load -n 3M && echo up
                load -n 3M --reverse && echo down
                load -u -b 5M -l 4000 -t 1 && echo fragments up
                load -u -b 5M -l 4000 -t 1 --reverse && echo fragments down
                """)
            #expect(output == "cloned\nup\ndown\nfragments up\nfragments down\n")
            let text = try String(contentsOfFile: files.stats, encoding: .utf8)
            try await JSONSchema("statistics").expectValid(text)
            let counts = text.matches(of: /"translatedPackets" : ([0-9]+)/).compactMap { Int($0.1) }
            #expect(counts.contains { $0 > 1000 }, "\(text)")
            #expect(text.contains(/"synthesizedQuestions" : [1-9]/))
            // The capture is on the app's side.
            let lines = try files.lines()
            #expect(!lines.contains { $0["source"]?.hasPrefix("198.") == true })
            #expect(lines.contains { $0["source"] == "64:ff9b::c612:3" })
        }
    }

    @Test func `a sender behind the translator learns of the smaller MTU`() async throws {
        let output = try await Self.run(
            Self.options("nat64") + Self.servers + [
                "--set", "down.mtu=1400", "--server",
                """
                exec python3 -c 'import socket
                server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                server.bind(("198.18.0.3", 9000))
                server.setsockopt(socket.IPPROTO_IP, 10, 2) # IP_MTU_DISCOVER, IP_PMTUDISC_DO
                while True:
                    _, client = server.recvfrom(9)
                    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                    one.setsockopt(socket.IPPROTO_IP, 10, 2)
                    one.connect(client)
                    try: server.sendto(bytes(1400), client)
                    except OSError: pass
                    server.sendto(str(one.getsockopt(socket.IPPROTO_IP, 14)).encode(), client)'
                """,
                "--server-ready", "9000/udp",
            ],
            """
            python3 -c '
            import socket
            one = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
            one.settimeout(1)
            answer = b""
            for _ in range(60):
                one.sendto(b"x", ("64:ff9b::c612:3", 9000))
                try: answer = one.recv(2000)
                except TimeoutError: continue
                if answer == b"1380": break
            print(answer.decode())'
            """)
        #expect(output == "1380\n")
    }

    @Test func `a timeline takes IPv4 away and gives it back under load`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(
                """
                name: Roaming
                interfaces:
                  cell0: { profile: Wi-Fi, middle: { family: nat64 } }
                timeline:
                  - { at: 3 s, middle: none }
                  - { at: 3500 ms, middle: { family: ipv4 } }
                  - { at: 4 s, middle: { family: ipv6 } }
                  - { at: 4500 ms, middle: { family: nat64 } }
                """, to: "roaming.yaml")
            let output = try await Self.run(
                [
                    "--scenario", directory.path + "/roaming.yaml", "--timeline",
                    directory.path + "/t.html",
                ]
                    + Self.servers + [
                        "--server", "exec iperf3 --server >/dev/null", "--server-ready", "5201",
                    ],
                """
                cd \(directory.path)
                ip -o monitor address >seen & watch=$!
                iperf3 -6 -c fd6c:696e:6b63::3 -t 30 -P 4 >/dev/null 2>&1 &
                load=$!
                # The kernel tells of new addresses of IPv6 a little later.
                seen() {
                    sed -n 's/^\\(Deleted \\)\\{0,1\\}[0-9]*: cell0 *\\(inet6\\{0,1\\}\\) .*/\\1\\2/p' seen |
                        LC_ALL=C sort -u
                }
                for round in $(seq 600); do
                    [ "$(seen | wc -l)" = 4 ] && break
                    sleep 0.05
                done
                seen
                for round in $(seq 300); do
                    [ "$(connect 64:ff9b::c612:3 5201)" = connected ] && echo back && break
                    sleep 0.1
                done
                kill $load $watch
                ip -6 route show default | grep -c cell0
                """)
            #expect(output == "Deleted inet\nDeleted inet6\ninet\ninet6\nback\n1\n")
            let page = try String(contentsOfFile: directory.path + "/t.html", encoding: .utf8)
            #expect(page.contains("family: ipv4"))
        }
    }

    @Test func `a portal, a firewall and a lying name server work behind and before it`()
        async throws
    {
        let output = try await Self.run(
            Self.options(
                "nat64", "captive-portal: { until: click }",
                "firewall: { block: [tcp/8443], answer: reset }",
                "dns: { wrong-answer: { address: 198.18.0.3, names: wrong.example } }", "mss: 1200")
                + Self.servers + Self.web(in: "/"),
            """
            get http://four.example/
            get http://64:ff9b::c612:3/ # not how one is written
            get 'http://[64:ff9b::c612:3]/'
            connect 64:ff9b::c612:3 8000
            curl -s -m 30 -d '' http://portal.linkcond/open | grep -o 'You are online'
            get http://four.example:8000/
            get http://wrong.example:8000/
            connect 64:ff9b::c612:3 8443
            """)
        #expect(
            output == """
                302 0
                000 3
                302 0
                Connection refused
                You are online
                200 0
                200 0
                Connection refused

                """)
    }

    @Test func `several interfaces have the families of their networks`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(
                """
                name: Two
                interfaces:
                  wifi0: { profile: Wi-Fi, middle: { family: ipv4 } }
                  cell0: { profile: LTE, middle: { family: nat64 } }
                timeline:
                  - { at: 2 s, prefer: cell0 }
                  - { at: 3 s, interface: wifi0, down: true }
                """, to: "two.yaml")
            let output = try await Self.run(
                ["--scenario", directory.path + "/two.yaml"] + Self.servers
                    + Self.web(in: directory.path),
                """
                for round in $(seq 600); do
                    [ -z "$(ip -4 route show default)" ] && break
                    sleep 0.05
                done
                connect 198.18.0.3 8000
                get 'http://[64:ff9b::c612:3]:8000/'
                ip -6 route show default | grep -c .
                """)
            #expect(output == "Network is unreachable\n200 0\n1\n")
        }
    }
}

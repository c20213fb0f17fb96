import Foundation
import LinkTesting
import Testing

/// A network behind one or two NATs, as programs see it that nobody here wrote.
@Suite("NAT in the middle of a run", .requiresNamespaces, .tags(.anyKernel))
struct RunTranslationTests {
    private static func options(_ nat: String) -> [String] {
        ["Wi-Fi", "--set", "middle={ nat: \(nat) }", "--uplink", "none"]
    }

    @Test(arguments: [
        ("{ kind: full-cone }", "Independent Mapping, Independent Filter"),
        ("{ kind: restricted }", "Independent Mapping, Address Dependent Filter"),
        ("{ kind: port-restricted }", "Independent Mapping, Port Dependent Filter"),
        ("{ kind: symmetric }", "Dependent Mapping"),
        (
            "[{ kind: full-cone }, { kind: restricted }]",
            "Independent Mapping, Address Dependent Filter"
        ),
        ("{ kind: full-cone, hairpin: true }", "will hairpin"),
    ])
    func `a STUN client tells the kind`(nat: String, kind: String) async throws {
        let result = try await SandboxedRun(
            arguments: Self.options(nat) + [
                "--server",
                "exec python3 \(BusFixture.path(of: "stunserver.py")) 198.18.0.3 198.18.0.1",
                "--server-ready", "3478/udp", "--", "stun", "198.18.0.3",
            ]
        ).result()
        #expect(result.standardOutput.contains(kind), "\(result)")
    }

    @Test func `TCP, UDP and pings pass, the network sees the address outside`() async throws {
        try await RecordingFiles.with { files in
            let result = try await SandboxedRun(
                arguments: Self.options("[{ kind: symmetric }, { kind: symmetric }]")
                    + files.options
                    + [
                        "--server", "exec iperf3 --server >/dev/null", "--server-ready", "5201",
                        "--server",
                        "python3 -m http.server --bind 0.0.0.0 8000 2>\(files.directory.path)/seen",
                        "--server-ready", "8000", "--", "sh", "-c",
                        """
                        # Its server may be busy with the end of the last test.
                        load() { until iperf3 -4 -c server.linkcond $* >/dev/null 2>&1; do sleep 0.2; done; }
                        curl -4 -s -o /dev/null -w '%{http_code}\\n' server.linkcond:8000
                        load -n 3M && echo up
                        load -n 3M --reverse && echo down
                        load -u -b 5M -l 4000 -t 1 && echo fragments
                        ping -4 -c 1 -W 5 server.linkcond >/dev/null && echo pong
                        python3 -c '
                        import socket
                        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                        one.settimeout(5)
                        one.connect(("198.18.0.3", 9))
                        one.send(b"x")
                        try: one.recv(9)
                        except ConnectionRefusedError: print("refused")'
                        """,
                    ]
            ).result()
            #expect(
                result.standardOutput == "200\nup\ndown\nfragments\npong\nrefused\n", "\(result)")
            let seen = try String(
                contentsOfFile: files.directory.path + "/seen", encoding: .utf8)
            #expect(seen.hasPrefix("198.18.0.5 "), "\(seen)")
            let text = try String(contentsOfFile: files.stats, encoding: .utf8)
            try await JSONSchema("statistics").expectValid(text)
            // The capture is on the app's side.
            let sources = try files.lines().filter { $0["direction"] == "up" }.map { $0["source"] }
            #expect(
                Set(sources).isSubset(of: ["198.18.0.2", "fd6c:696e:6b63::2", "::", ""]),
                "\(Set(sources))")
        }
    }

    @Test func `10,000 flows have room, and no other`() async throws {
        try await RecordingFiles.with { files in
            let flows = "exec python3 \(BusFixture.path(of: "flows.py"))"
            let result = try await SandboxedRun(
                arguments: ["Baseline", "--set", "middle={ nat: { kind: symmetric } }", "--uplink"]
                    + ["none", "--stats", files.stats, "--server", "\(flows) count"]
                    + ["--server-ready", "7000", "--", "sh", "-c"]
                    + ["\(flows) open 198.18.0.3 10004"]
            ).result()
            // Each has a port of its own outside. One more is the connection of both programs.
            #expect(result.standardOutput == "9999 flows from 9999 ports\n", "\(result)")
            let text = try String(contentsOfFile: files.stats, encoding: .utf8)
            #expect(text.contains("\"tableFullPackets\" : 5,"), "\(text)")
        }
    }

    @Test func `a scenario's events are told together with the rebindings between them`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            try directory.write(
                """
                name: Carrier
                interfaces:
                  eth0:
                    profile: Wi-Fi
                    middle: { nat: [{ kind: full-cone }, { kind: symmetric, rebind: every 1 s }] }
                timeline:
                  - { at: 500 ms, set: { up.delay: 5 ms } }
                  - { at: 3500 ms, middle: none }
                  - { at: 4 s, app: terminate }
                """, to: "carrier.yaml")
            let result = try await SandboxedRun(
                arguments: [
                    "-v", "--scenario", directory.path + "/carrier.yaml", "--uplink", "none",
                    "--stats", directory.path + "/stats.json", "--timeline",
                    directory.path + "/line.html", "--", "ping", "-4", "-q", "-i", "0.2",
                    "198.18.0.1",
                ]
            ).result()
            let text = try String(contentsOfFile: directory.path + "/stats.json", encoding: .utf8)
            try await JSONSchema("statistics").expectValid(text)
            let events = text.matches(of: /"text" : "eth0: (.*)"/).map { String($0.1) }
            // The NAT counts from the start of the link, which may be a while before the command's.
            #expect(
                events.contains { $0.contains("up.delay") }
                    && events.last?.contains("middle=none") == true
                    && events.count { $0.contains("the carrier's NAT forgets") } >= 2, "\(events)")
            #expect(result.standardError.contains("s  eth0: the carrier's NAT forgets 1 entry"))
            let page = try String(contentsOfFile: directory.path + "/line.html", encoding: .utf8)
            #expect(page.contains("NAT forgets 1 entry"), "\(page)")
        }
    }

    /// In user space, by which any kernel with tun has it.
    @Test(.requiresInstalled("wireguard-go", "wg"), .requiresTunnels)
    func `WireGuard's tunnel moves along when the NAT gives it another port`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path
            try shell("for end in near far; do wg genkey >\(path)/$end; done")
            // Its control socket is in /run.
            func end(_ name: String, _ address: String, of other: String, _ more: String) -> String
            {
                """
                mount -t tmpfs none /run
                wireguard-go -f wg0 2>\(path)/\(name).log &
                until wg show wg0 >/dev/null 2>&1; do sleep 0.05; done
                key=$(wg pubkey <\(path)/\(other))
                wg set wg0 private-key \(path)/\(name) peer $key allowed-ips 10.9.0.0/24
                ip address add \(address)/24 dev wg0
                ip link set wg0 up
                \(more)
                """
            }
            let far = end(
                "far", "10.9.0.1", of: "near",
                """
                wg set wg0 listen-port 51820
                while sleep 0.05; do wg show wg0 endpoints; done >\(path)/seen
                """)
            let near = end(
                "near", "10.9.0.2", of: "far",
                """
                wg set wg0 peer $key endpoint 198.18.0.3:51820
                ping -n -c 40 -i 0.1 -W 5 10.9.0.1
                """)
            try directory.write(far, to: "far.sh")
            try directory.write(near, to: "near.sh")
            let result = try await SandboxedRun(
                arguments: Self.options("{ kind: symmetric, rebind: every 1 s }") + [
                    "--drain", "0s", "--server", "exec unshare --mount sh \(path)/far.sh",
                    "--server-ready", "51820/udp", "--", "unshare", "--mount", "sh",
                    "\(path)/near.sh",
                ]
            ).result()
            let log = try shell("cat \(path)/*.log")
            // What is on its way back when the NAT forgets is lost.
            let received = result.standardOutput.firstMatch(of: /([0-9]+) received/)?.1
            #expect(received.flatMap { Int($0) } ?? 0 >= 30, "\(result) \(log)")
            let ports = Set(
                try String(contentsOfFile: path + "/seen", encoding: .utf8)
                    .matches(of: /:([0-9]+)\n/).map { String($0.1) })
            #expect(ports.count >= 3, "\(ports)")
        }
    }

    @Test func `a QUIC connection goes on when the NAT gives it other ports`() async throws {
        let python = try PythonTool.environment().map { "\($0)='\($1)'" }.joined(separator: " ")
        let (server, client) = (
            BusFixture.path(of: "quicserver.py"), BusFixture.path(of: "quicclient.py")
        )
        try await RecordingFiles.with { files in
            let directory = files.directory.path
            let result = try await SandboxedRun(
                arguments: Self.options("{ kind: port-restricted, rebind: every 1 s }") + [
                    "--set", "down.bandwidth=4 Mbit/s",
                ] + files.options + [
                    "--server",
                    "exec env \(python) python3 \(server) \(directory) 4433 1500000 198.18.0.3",
                    "--server-ready", "4433", "--", "sh", "-c",
                    """
                    env \(python) timeout 120 python3 \(client) true 198.18.0.3 4433 ping \
                        >\(directory)/got
                    cmp \(directory)/got \(directory)/checksum && echo same
                    """,
                ]
            ).result()
            #expect(result.standardOutput == "same\n", "\(result)")
            let ports = Set(
                try files.lines().filter { $0["direction"] == "up" && $0["protocol"] == "udp" }
                    .map { $0["sourcePort"] })
            // The app keeps its own.
            #expect(ports.count == 1, "\(ports)")
            let text = try String(contentsOfFile: files.stats, encoding: .utf8)
            let count = text.matches(of: /"rebindings" : ([0-9]+)/).compactMap { Int($0.1) }.max()
            #expect(count ?? 0 >= 2, "\(text)")
            // Each is an event, at the times that were asked for.
            let times = text.matches(of: /"seconds" : ([0-9.]+),\s*"text" : "eth0: the NAT forgets/)
            #expect(times.count == count, "\(text)")
            let peers = try String(contentsOfFile: directory + "/ports", encoding: .utf8)
            #expect(peers.split(separator: "\n").count >= 2, "\(peers)")
        }
    }
}

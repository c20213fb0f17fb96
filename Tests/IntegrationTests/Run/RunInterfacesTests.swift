import Foundation
import LinkTesting
import Testing

/// A command with several interfaces.
@Suite("Run: several interfaces", .serialized, .requiresNamespaces, .tags(.contrary, .anyKernel))
struct RunInterfacesTests {
    private static let interfaces = [
        "--interface", "wifi0=WiFi,down.delay=2 ms,up.delay=2 ms", "--interface",
        "cell0=LTE,expensive,down.delay=60 ms,up.delay=60 ms",
    ]

    /// What `--stats` says of interfaces.
    private struct Statistics: Decodable {
        let interfaces: [Interface]

        struct Interface: Decodable {
            let name: String
            let kind: String
            let profile: String
            let down: Way
            let up: Way
        }

        struct Way: Decodable { let counters: Counters }
        struct Counters: Decodable { let bytes: Int }
    }

    @Test(
        .requiresUplink, .enabled("curl has to be there") { hasPrograms("curl") },
        arguments: Caller.allCases)
    func `downloads take the interface that they are bound to, by IPv4 and IPv6`(
        caller: Caller
    ) async throws {
        let size = 200_000
        let server = """
            exec python3 -c 'import http.server, socket
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    self.send_response(200)
                    self.send_header("Content-Length", "\(size)")
                    self.end_headers()
                    self.wfile.write(bytes(\(size)))
            class Server(http.server.ThreadingHTTPServer): address_family = socket.AF_INET6
            Server(("::", 8000), Handler).serve_forever()' 2>/dev/null
            """
        let script = """
            for family in -4 -6; do
                for choice in '' '--interface wifi0' '--interface cell0'; do
                    curl -s $family $choice -o /dev/null \
                        -w '%{local_ip} %{size_download} %{time_connect}\\n' \
                        http://server.linkcond:8000/ || exit
                done
            done
            """
        try await RecordingFiles.with { files in
            let output = try await SandboxedRun(
                arguments: Self.interfaces + [
                    "--server", server, "--server-ready", "8000", "--stats", files.stats, "--",
                    "sh", "-c", script,
                ], by: caller
            ).output()
            let rows = output.split(separator: "\n").map { $0.split(separator: " ") }
            #expect(
                rows.map { String($0[0]) } == [
                    "198.18.0.18", "198.18.0.18", "198.18.0.34", "fd6c:696e:6b63:0:1::2",
                    "fd6c:696e:6b63:0:1::2", "fd6c:696e:6b63:0:2::2",
                ])
            #expect(rows.allSatisfy { $0[1] == "\(size)" })
            let times = rows.map { Double($0[2]) ?? 0 }
            // The kernel takes the time of establishment: no busy machine makes it shorter.
            #expect([2, 5].allSatisfy { times[$0] >= 0.12 }, "\(times)")
            #expect(times.min() ?? 1 < 0.12, "\(times)")

            _ = try await files.statistics()
            let text = try Data(contentsOf: URL(filePath: files.stats))
            let found = try JSONDecoder().decode(Statistics.self, from: text).interfaces
            #expect(found.map(\.name) == ["wifi0", "cell0"])
            #expect(found.map(\.kind) == ["wifi", "cellular"])
            #expect(found[1].profile == "apple/LTE")
            // Four downloads by one interface and two by the other, with headers.
            let bytes = found.map(\.down.counters.bytes)
            #expect((4 * size..<5 * size).contains(bytes[0]), "\(bytes)")
            #expect((2 * size..<3 * size).contains(bytes[1]), "\(bytes)")
        }
    }

    @Test(.requiresUplink, arguments: ["relay", "slirp", "veth"])
    func `this host is reached over each of them, by every uplink`(uplink: String) async throws {
        let script = """
            for choice in wifi0 cell0; do
                ping -n -c 1 -W 20 -I $choice host.linkcond >/dev/null || exit 1
                ping -n -c 1 -W 20 -I $choice 198.18.0.33 >/dev/null || exit 2
            done
            echo reached
            """
        let output = try await SandboxedRun(
            arguments: Self.interfaces + ["--uplink", uplink, "--", "sh", "-c", script]
        ).output()
        #expect(output == "reached\n")
    }

    @Test func `the path and the environment are those of the first`() async throws {
        let program = try SandboxedRun.program()
        let output = try await SandboxedRun(
            arguments: Self.interfaces + [
                "--no-dbus", "--uplink", "none", "--", "sh", "-c",
                "echo $LINKCOND_INTERFACE $LINKCOND_INTERFACE_KIND $LINKCOND_EXPENSIVE; "
                    + "\(program) path --json",
            ]
        ).output()
        let lines = output.split(separator: "\n", maxSplits: 1)
        #expect(lines[0] == "wifi0 wifi 0")
        let object = try JSONSerialization.jsonObject(with: Data(lines[1].utf8))
        let path = try #require(object as? [String: Any])
        #expect(path["isExpensive"] as? Bool == false)
        let interfaces = try #require(path["interfaces"] as? [[String: Any]])
        #expect(interfaces.map { $0["name"] as? String } == ["wifi0", "cell0", "lo"])
        #expect(interfaces.map { $0["isExpensive"] as? Bool } == [false, true, false])
    }

    @Test func `capture and log tell the interfaces apart`() async throws {
        try await RecordingFiles.with { files in
            _ = try await SandboxedRun(
                arguments: Self.interfaces + [
                    "--no-dbus", "--uplink", "none", "--seed", "7", "--pcap", files.capture,
                    "--log",
                    files.log, "--", "sh", "-c",
                    "ping -n -c 1 -W 20 198.18.0.1; ping -n -c 2 -i 0.01 -W 20 -I cell0 198.18.0.1",
                ]
            ).output()
            let pings = try files.lines().filter { $0["protocol"] == "icmp" }
            let packets = try await files.packets("frame.interface_name", filter: "icmp")
            for (interface, count) in [("wifi0", 1), ("cell0", 2)] {
                for direction in ["up", "down"] {
                    #expect(
                        pings.count {
                            $0["interface"] == interface && $0["direction"] == direction
                        } == count)
                    #expect(packets.count { $0[0] == "\(interface) \(direction)" } == count)
                }
            }
        }
    }

    private static let tooMany = (1...16).map { "--interface e\($0)=WiFi" }.joined(separator: " ")

    /// Arguments, and a part of what is said of them.
    private static let mistakes: [(String, String)] = [
        ("LTE --interface wifi0=WiFi", "leave all but one of them out"),
        ("", "there is no profile"),
        ("--interface wifi0=WiFi --interface wifi0=LTE", "two interfaces of this name"),
        ("--interface wifi0=WiFy", "did you mean wifi?"),
        ("--interface wifi0=WiFi,expensiv", "did you mean expensive?"),
        ("--interface wifi0=WiFi,kind=wify", "did you mean wifi?"),
        ("--interface wifi0=WiFi,down.los=2%", "--interface wifi0"),
        ("--interface wi/fi=WiFi", "letters, digits"),
        ("--interface an-interface-of-16=WiFi", "1 to 15 characters"),
        ("--interface lo=WiFi", "such as lo0"),
        ("--interface wifi0", "NAME=PROFILE"),
        ("--interface wifi0=WiFi --set down.loss=2%", "wifi0=WiFi,down.loss=2%"),
        ("--interface wifi0=WiFi --expensive", "cell0=LTE,expensive"),
        (tooMany, "at most 15 interfaces"),
    ]

    @Test(arguments: mistakes)
    func `what cannot be meant is an error with a way out`(
        arguments: String, part: String
    ) async throws {
        let words = arguments.split(separator: " ").map(String.init)
        let result = try await SandboxedRun(arguments: words + ["--", "true"]).result()
        #expect(result.exitCode == 64)
        #expect(result.standardError.contains(part), "\(result.standardError)")
    }
}

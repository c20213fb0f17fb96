import Foundation
import LinkTesting
import Testing

/// Unmodified curl over two interfaces, of which one goes in the middle of a download.
@Suite("Multipath TCP: transfers", .requiresNamespaces, .requiresMultipath, .tags(.anyKernel))
struct MultipathTransferTests {
    /// Both slow enough for busy machines, and of different round trips.
    static let interfaces = [
        "--interface", "wifi0=WiFi,down.bandwidth=16Mbit/s,down.delay=10ms",
        "--interface", "cell0=LTE,down.bandwidth=8Mbit/s,up.delay=15ms,down.delay=15ms",
    ]

    /// Downloads `$1` to standard output's checksum, and cuts wifi0 off when a megabyte has come.
    private static let downloadWithCut = """
        curl -s --speed-limit 1 --speed-time 10 -o $2/got $1 & download=$!
        until [ "$(stat -c %s $2/got 2>/dev/null || echo 0)" -gt 1000000 ]; do sleep 0.05; done
        ip link set wifi0 down
        wait $download; code=$?
        sha256sum <$2/got
        exit $code
        """

    /// Runs the download of a file of eight megabytes, which take four seconds, and says how curl
    /// ended and what came.
    private func download(
        _ mode: String, from server: String, through middle: String? = nil,
        in directory: TemporaryDirectory
    ) async throws -> (result: ProcessResult, isIntact: Bool, bytes: [String: Int]) {
        let path = directory.path
        try shell("head -c 8000000 /dev/urandom >\(path)/file")
        let expected = try shell("sha256sum <\(path)/file")
        let interfaces = Self.interfaces.map { word in
            middle.flatMap { word.contains("=") ? "\(word),middle=\($0)" : nil } ?? word
        }
        let result = try await SandboxedRun(
            arguments: interfaces + [
                "--multipath", mode, "--stats", "\(path)/stats.json", "--server",
                "exec python3 -m http.server --directory \(path) 8000 2>/dev/null",
                "--server-ready", "8000", "--", "sh", "-c", Self.downloadWithCut, "sh",
                "http://\(server)/file", path,
            ]
        ).result()
        return (
            result, result.standardOutput == expected,
            try RunStatistics(path: "\(path)/stats.json").receivedBytes
        )
    }

    @Test func `without it a download dies with its interface`() async throws {
        try await withTemporaryDirectory { directory in
            let (result, isIntact, bytes) = try await download(
                "off", from: "server.linkcond:8000", in: directory)
            #expect(result.exitCode == 28, "\(result)")
            #expect(!isIntact)
            #expect(bytes["cell0", default: 0] < 10_000)
        }
    }

    @Test(arguments: ["handover", "interactive", "aggregate"])
    func `with it a download goes on over the other interface`(mode: String) async throws {
        try await withTemporaryDirectory { directory in
            let (result, isIntact, bytes) = try await download(
                mode, from: "server.linkcond:8000", in: directory)
            #expect(result.exitCode == 0, "\(result)")
            #expect(isIntact)
            #expect(bytes["cell0", default: 0] > 1_000_000)
        }
    }

    /// Each interface has a NAT64 of its own.
    @Test(arguments: ["handover", "aggregate"])
    func `through the NAT64 of each network it goes on as well`(mode: String) async throws {
        try await withTemporaryDirectory { directory in
            let (result, isIntact, bytes) = try await download(
                mode, from: "[64:ff9b::c612:3]:8000", through: "{ family: nat64 }", in: directory)
            #expect(result.exitCode == 0, "\(result)")
            #expect(isIntact)
            #expect(bytes["cell0", default: 0] > 1_000_000)
            let statistics = try RunStatistics(path: "\(directory.path)/stats.json")
            #expect(statistics.multipath?.connections == 1)
        }
    }

    @Test(.requiresUplink, arguments: ["host.linkcond:8000", "192.0.2.1:8001"])
    func `servers of the host and beyond need not know it`(server: String) async throws {
        let words = (Self.interfaces + ["--multipath", "handover", "--"]).joined(separator: " ")
        let result = try await StandInHost.script(
            """
            trap 'kill $(jobs -p)' EXIT
            head -c 8000000 /dev/urandom >$DIRECTORY/file
            serve
            python3 -m http.server --directory $DIRECTORY --bind 192.0.2.1 8001 >/dev/null 2>&1 &
            until curl -s -o /dev/null http://192.0.2.1:8001/; do sleep 0.02; done
            (run \(words) bash -c "$1" bash http://\(server)/file $DIRECTORY)
            sha256sum <$DIRECTORY/file
            """, by: .root, arguments: [Self.downloadWithCut])
        let sums = result.standardOutput.split(separator: "\n")
        #expect(result.exitCode == 0, "\(result)")
        #expect(sums.count == 2 && sums.first == sums.last)
    }

    /// Asks for a file by a host's name when Wi-Fi has silently dropped everything for a while, and
    /// again when Wi-Fi is back.
    @Test(.requiresUplink, arguments: ["handover", "interactive"])
    func `connections start on the other interface while the preferred one is silent`(
        mode: String
    ) async throws {
        let result = try await StandInHost.script(
            """
            trap 'kill $(jobs -p)' EXIT
            seq 1000 >$DIRECTORY/file
            serve
            cat >$DIRECTORY/silence.yaml <<END
            name: Silence
            interfaces:
              wifi0: { profile: WiFi, set: { down.delay: 10ms } }
              cell0: { profile: LTE, set: { down.delay: 30ms } }
            timeline:
              - { at: 0s, interface: wifi0, set: { blackhole: true }, for: 15s }
            END
            (run --scenario $DIRECTORY/silence.yaml --multipath \(mode) -v -- sh -c '
                get() { curl -4 -s --connect-timeout 3 -o $0/got -w "%{local_ip}\n" $1; }
                sleep 3; until here=$(get $1); do :; done; echo $here; cmp $0/file $0/got
                until back=$(get $1) && test $back = 198.18.0.18; do sleep 0.2; done
                ' $DIRECTORY http://host.linkcond:8000/file)
            """, by: .root)
        #expect(result.exitCode == 0, "\(result)")
        #expect(result.standardOutput == "198.18.0.34\n", "\(result)")
        #expect(
            result.standardError.contains(
                "wifi0 is silent, so connections start on cell0"), "\(result)")
    }

    /// The server counts what it got.
    @Test(arguments: ["download", "upload"])
    func `what arrived by the other interface is not said to be lost`(
        direction: String
    ) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path
            try shell("head -c 3000000 /dev/urandom >\(path)/file")
            try """
            name: Silence
            interfaces:
              wifi0: { profile: WiFi, set: { down.bandwidth: 8Mbit/s, up.bandwidth: 8Mbit/s } }
              cell0: { profile: LTE }
            timeline:
              - { at: 1s, interface: wifi0, set: { blackhole: true } }
            """.write(toFile: "\(path)/silence.yaml", atomically: true, encoding: .utf8)
            let command =
                direction == "upload"
                ? "exec 3<>/dev/tcp/server.linkcond/8000; cat \(path)/file >&3"
                : "exec 3<>/dev/tcp/server.linkcond/8001; cat <&3 >\(path)/got; sleep 2"
            let result = try await SandboxedRun(
                arguments: [
                    "--scenario", "\(path)/silence.yaml", "--multipath", "handover", "--stats",
                    "\(path)/stats.json", "--server", Self.plainServer(path), "--server-ready",
                    "8001", "--", "bash", "-c", command,
                ]
            ).result()
            #expect(result.exitCode == 0, "\(result)")
            #expect(try shell("cmp \(path)/file \(path)/got") == "")
            let statistics = try RunStatistics(path: "\(path)/stats.json")
            #expect(statistics.receivedBytes["cell0", default: 0] > 10_000)
            #expect(statistics.drain.undeliveredConnections == 0, "\(result)")
        }
    }

    /// Receives `got` at port 8000, and sends `file` from port 8001.
    private static func plainServer(_ path: String) -> String {
        """
        exec python3 -c '
        import socket, threading
        ways = [socket.create_server(("", port)) for port in (8000, 8001)]
        def receive():
            connection = ways[0].accept()[0]
            open("\(path)/got", "wb").write(connection.makefile("rb").read())
        def send():
            while True:
                connection = ways[1].accept()[0]
                try: connection.sendall(open("\(path)/file", "rb").read())
                except OSError: pass
                connection.close()
        threading.Thread(target=receive, daemon=True).start()
        send()'
        """
    }

    @Test func `handover keeps off the other interface while the preferred one is good`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let path = directory.path
            try shell("head -c 8000000 /dev/urandom >\(path)/file")
            let output = try await SandboxedRun(
                arguments: Self.interfaces + [
                    "--multipath", "handover", "--stats", "\(path)/stats.json", "--server",
                    "exec python3 -m http.server --directory \(path) 8000 2>/dev/null",
                    "--server-ready", "8000", "--", "sh", "-c",
                    """
                    curl -s http://server.linkcond:8000/file >/dev/null & download=$!
                    until \(try SandboxedRun.program()) status --json | grep -q '"reserve" : true'
                    do kill -0 $download || exit; sleep 0.05; done
                    echo both paths
                    wait $download
                    """,
                ]
            ).output()
            #expect(output == "both paths\n")
            let statistics = try RunStatistics(path: "\(path)/stats.json")
            #expect(statistics.receivedBytes["wifi0", default: 0] > 8_000_000)
            // A link that stands still for half a second, because others have the processors, has gone
            // bad: the kernel sends by cell0 what it waits for, a window at most. The run says so.
            let most = statistics.faithful == false ? 400_000 : 40_000
            #expect(statistics.receivedBytes["cell0", default: 0] < most)
            #expect(statistics.multipath?.connections == 1)
            #expect(statistics.multipath?.furtherPaths == 1)
        }
    }
}

/// What tests ask of `run --stats`.
struct RunStatistics: Decodable {
    struct Interface: Decodable {
        struct Way: Decodable {
            struct Counters: Decodable { let bytes: Int }
            let counters: Counters
        }
        let name: String
        let down: Way
    }

    struct Multipath: Decodable {
        let connections: Int
        let plainConnections: Int
        let furtherPaths: Int
    }

    struct Drain: Decodable {
        let undeliveredConnections: Int
    }

    let interfaces: [Interface]
    let drain: Drain
    let multipath: Multipath?
    /// Whether the emulation kept its times.
    let faithful: Bool?

    init(path: String) throws {
        let data = try Data(contentsOf: URL(filePath: path))
        self = try JSONDecoder().decode(RunStatistics.self, from: data)
    }

    /// Bytes that came, by interface.
    var receivedBytes: [String: Int] {
        Dictionary(uniqueKeysWithValues: interfaces.map { ($0.name, $0.down.counters.bytes) })
    }
}

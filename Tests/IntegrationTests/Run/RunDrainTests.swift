import Foundation
import LinkTesting
import Testing

/// What a command has sent when it ends.
@Suite("Run: what is under way at the end", .requiresNamespaces, .tags(.contrary, .long))
struct RunDrainTests {
    private static let uplinks: [(Caller, String)] = [
        (.root, "relay"), (.root, "veth"), (.root, "slirp"), (.ordinaryUser, "relay"),
        (.ordinaryUser, "pasta"),
    ]

    /// What the script has: `sink` starts a server of the host that writes down how connections
    /// end, or what datagrams say; `told LINES` waits for so many lines and prints them; `upload`
    /// is a program that sends 300 kB and ends at once.
    private static let prelude = """
        sink() {
            python3 \(URL(filePath: #filePath).deletingLastPathComponent().path)/../Fixtures/sink.py \
                $DIRECTORY/told "$@" >&2 &
            until ss -Hln | grep -q ":$1 "; do sleep 0.02; done
        }
        told() {
            for attempt in $(seq 500); do
                [ "$(cat $DIRECTORY/told 2>/dev/null | wc -l)" -ge $1 ] && break
                sleep 0.02
            done
            cat $DIRECTORY/told
        }
        cat >$DIRECTORY/upload <<'END'
        import socket, sys
        connection = socket.create_connection((sys.argv[1], int(sys.argv[2])))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        connection.sendall(bytes(300000))
        END
        upload="python3 $DIRECTORY/upload"

        """

    private func output(
        of script: String, by caller: Caller = .root, _ arguments: String...
    ) async throws -> String {
        let result = try await StandInHost.script(
            Self.prelude + script + "\nkill $(jobs -p) 2>/dev/null || true\n", by: caller,
            arguments: arguments)
        #expect(result.exitCode == 0, "\(result.standardError)")
        return result.standardOutput
    }

    @Test(.requiresUplink, arguments: uplinks)
    func `arrives whole at servers of the host`(caller: Caller, uplink: String) async throws {
        let output = try await output(
            of: """
                sink 9001
                for host in host.linkcond 192.0.2.1; do
                    (run LTE --uplink $1 -- $upload $host 9001)
                done
                told 2
                """, by: caller, uplink)
        #expect(output == "end after 300000\nend after 300000\n")
    }

    @Test(.requiresUplink, arguments: Caller.allCases)
    func `arrives whole from programs that send and end`(caller: Caller) async throws {
        let output = try await output(
            of: """
                sink 9001
                (run 3G -- bash -c 'echo hello >/dev/tcp/host.linkcond/9001')
                told 1
                rm $DIRECTORY/told
                sink 9002 udp
                (run 3G -- bash -c 'echo -n 1 >/dev/udp/host.linkcond/9002')
                (run 3G -- bash -c 'for i in 2 3 4; do echo -n $i >/dev/udp/192.0.2.1/9002; done')
                told 4
                """, by: caller)
        // Each datagram has a socket of its own, among which no network keeps an order.
        #expect(output.split(separator: "\n").sorted() == ["1", "2", "3", "4", "end after 6"])
    }

    /// All at the same time: 300 kB take 10 s on a DSL link, and networks do not disturb each other.
    @Test func `arrives whole at servers of the run`() async throws {
        var networks = ["DSL", "--interface a=DSL --interface b=LTE"]
        if FileManager.default.fileExists(atPath: "/proc/sys/net/mptcp") {
            networks.append("--interface a=LTE --interface b=DSL --multipath interactive")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for backend in try ["engine", "kernel"].filter(Backends.serves) {
                for network in networks {
                    group.addTask { try await expectWhole(backend: backend, network: network) }
                }
            }
            try await group.waitForAll()
        }
    }

    private func expectWhole(backend: String, network: String) async throws {
        let output = try await output(
            of: """
                (run \(network) --backend \(backend) --uplink none --server-ready 9001 --server \
                    "exec python3 \(Self.fixture) $DIRECTORY/told 9001" \
                    -- $upload server.linkcond 9001)
                cat $DIRECTORY/told
                """)
        #expect(output == "end after 300000\n", "\(network), \(backend)")
    }

    private static let fixture =
        URL(filePath: #filePath).deletingLastPathComponent().path + "/../Fixtures/sink.py"

    @Test(.requiresUplink)
    func `is counted, and the command's time and exit code stay its own`() async throws {
        try await RecordingFiles.with { files in
            let result = try await StandInHost.script(
                Self.prelude + """
                    sink 9001
                    (run 3G "$@" -- sh -c "$upload host.linkcond 9001; exit 7") && exit 1
                    [ $? = 7 ]
                    told 1
                    kill $(jobs -p)
                    """, by: .root, arguments: files.options)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(result.standardOutput == "end after 300000\n")
            #expect(result.standardError.contains("waiting until what is under way has arrived"))
            let statistics = try await files.statistics()
            // Of 7 s on the link the command is there for the one in which the socket takes all. Its
            // own time has the start of Python in it, which may take as long.
            #expect(statistics.drain.seconds > 2)
            #expect(statistics.drain.undeliveredConnections == 0)
            #expect(statistics.drain.undeliveredPackets == 0)
            #expect(statistics.up.counters.bytes > 300_000)
            // The link's 330 kbit/s, not those of the command's time.
            #expect(statistics.up.counters.bitsPerSecond < 340_000)
            let lengths = try await files.packets("frame.len").compactMap { Int($0[0]) }
            #expect(lengths.reduce(0, +) > 300_000)
        }
    }

    @Test(.requiresUplink, arguments: uplinks)
    func `is a reset, and counted, where it must not take longer`(
        caller: Caller, uplink: String
    ) async throws {
        try await RecordingFiles.with { files in
            let result = try await StandInHost.script(
                Self.prelude + """
                    sink 9001
                    (run 3G "$@" -- $upload host.linkcond 9001)
                    told 1
                    kill $(jobs -p)
                    """, by: caller,
                arguments: ["--drain", "0 s", "--stats", files.stats, "--uplink", uplink])
            #expect(result.standardOutput == "ConnectionResetError after some\n")
            #expect(
                result.standardError.contains("1 connection of the command did not come to an end"))
            #expect(try await files.statistics().drain.undeliveredConnections == 1)
        }
    }

    @Test(.requiresUplink)
    func `is given up when somebody asks for the end`() async throws {
        let output = try await output(
            of: """
                sink 9001
                run Edge -- sh -c "$upload host.linkcond 9001; exit 5" 2>$DIRECTORY/log & run=$!
                until grep -q 'waiting until what is under way' $DIRECTORY/log; do sleep 0.05; done
                kill $run
                wait $run || echo $?
                told 1
                """)
        #expect(output == "5\nConnectionResetError after some\n")
    }

    @Test(.requiresUplink)
    func `is not waited for where nothing gets through any more`() async throws {
        try await RecordingFiles.with { files in
            let scenario = """
                name: Outage
                summary: 3G, and then nothing
                interfaces:
                  cell0: { profile: 3G }
                timeline:
                  - { at: 8 s, set: { blackhole: true } }
                  - { at: 9 s, app: { signal: USR1 } }
                """
            try scenario.write(
                toFile: files.directory.path + "/scenario.yaml", atomically: true, encoding: .utf8)
            let result = try await StandInHost.script(
                Self.prelude + """
                    sink 9001
                    (run --scenario "$1" --stats "$2" -- python3 -c '
                    import signal, socket
                    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
                    connection = socket.create_connection(("host.linkcond", 9001))
                    signal.sigwait({signal.SIGUSR1})
                    # No more than a socket takes at once, however small its host makes it.
                    connection.sendall(bytes(5_000))')
                    told 1
                    kill $(jobs -p)
                    """, by: .root,
                arguments: [files.directory.path + "/scenario.yaml", files.stats])
            #expect(result.standardOutput == "ConnectionResetError after some\n")
            let drain = try await files.statistics().drain
            #expect(drain.undeliveredConnections == 1)
            #expect(drain.seconds < 30, "a minute if it were waited for")
        }
    }
}

import Foundation
import LinkTesting
import Testing

/// What is written down of a run, against what the command saw.
@Suite("Run: evidence", .serialized, .requiresNamespaces, .tags(.contrary, .anyKernel))
struct RunEvidenceTests {
    /// The far side's address: it answers by itself.
    private static let far = "198.18.0.1"
    static let quickLoss = [
        "high-loss", "--set", "down.loss=10%", "--set", "up.loss=20%", "--set", "down.delay=2 ms",
        "--set", "up.delay=3 ms", "--uplink", "none",
    ]
    static let ping = ["ping", "-n", "-c", "200", "-i", "0.005", "-W", "1", far]

    /// A run whose command may fail, as ping does when nothing comes back.
    private static func run(_ arguments: [String], by caller: Caller = .root) -> SandboxedRun {
        SandboxedRun(arguments: arguments, by: caller)
    }

    @Test(arguments: Caller.allCases)
    func `statistics, capture and log agree with each other and with ping`(
        caller: Caller
    ) async throws {
        try await RecordingFiles.with { files in
            let result = try await Self.run(
                Self.quickLoss + ["--seed", "7"] + files.options + [
                    "--", "sh", "-c",
                    """
                    \(Self.ping.joined(separator: " ")); code=$?
                    # ping does not wait for answers that take longer than twice the others did.
                    sleep 1
                    awk '/^IcmpMsg: [0-9]/ { print "answers", $place }
                        { for (i = 2; i <= NF; i++) if ($i == "InType0") place = i }' /proc/net/snmp
                    exit $code
                    """,
                ], by: caller
            ).result()
            let match = try #require(
                result.standardOutput.firstMatch(of: /200 packets transmitted, ([0-9]+) received/))
            let received = try #require(Int(match.1))
            let answers = try #require(result.standardOutput.firstMatch(of: /answers ([0-9]+)/))

            let statistics = try await files.statistics()
            #expect(statistics.profile == "apple/Very-Bad-Network")
            #expect(statistics.backend == "engine")
            #expect(statistics.seed == 7)
            #expect(statistics.exitCode == Int(result.exitCode ?? -1))
            let (up, down) = (statistics.up.counters, statistics.down.counters)
            #expect(up.arrivedPackets == 200)
            #expect(up.packets + up.lost + (up.heldPackets ?? 0) == 200)
            #expect((15...80).contains(up.lost))
            #expect(down.arrivedPackets == up.packets)
            #expect(UInt64(answers.1) == UInt64(down.packets))
            #expect((down.packets - 5...down.packets).contains(received))
            #expect(up.bytes == up.packets * 84)

            let lines = try files.lines()
            let packets = try await files.packets(
                "frame.interface_name", "frame.comment", "frame.len", "frame.time_epoch")
            #expect(packets.count == lines.count)
            #expect(up.lines + down.lines == lines.count)
            for (direction, counters) in [("up", up), ("down", down)] {
                let ours = lines.filter { $0["direction"] == direction }
                let lost = ours.filter { $0["verdict"] == "lost" }
                let captured = packets.filter { $0[0] == direction }
                #expect(ours.count == counters.lines)
                #expect(captured.count == counters.lines)
                #expect(lost.count == counters.lost)
                #expect(captured.count { $0[1] == "lost" } == counters.lost)
                #expect(
                    captured.count { $0[1].hasPrefix("delivered after ") } == counters.packets)
            }
            for (line, packet) in zip(lines, packets) where line["protocol"] == "icmp" {
                #expect(packet[0] == line["direction"])
                #expect(packet[2] == "98")
                #expect(packet[3].count { $0.isNumber } == 19)
                guard let delay = line["delayMilliseconds"].flatMap(Double.init) else { continue }
                #expect(delay >= (line["direction"] == "up" ? 3 : 2))
                let text = String(format: "delivered after %.3f ms", delay)
                #expect(packet[1] == text || packet[1].hasPrefix(text + ", "), "it may be late")
            }
        }
    }

    @Test func `the same seed writes the same verdicts on the same packets`() async throws {
        func verdicts(seed: String) async throws -> [String] {
            try await RecordingFiles.with { files in
                _ = try await Self.run(
                    Self.quickLoss + ["--seed", seed, "--log", files.log, "--"] + Self.ping
                ).result()
                return try files.lines().filter { $0["protocol"] == "icmp" }.map { line in
                    ["direction", "number", "verdict"].map { line[$0] ?? "" }
                        .joined(separator: " ")
                }.sorted()
            }
        }
        let first = try await verdicts(seed: "11")
        #expect(first.count > 200)
        #expect(try await verdicts(seed: "11") == first)
        #expect(try await verdicts(seed: "12") != first)
    }

    @Test func `a download is captured packet by packet, with each verdict there is`() async throws
    {
        try await RecordingFiles.with { files in
            let result = try await Self.run(
                [
                    "LTE", "--set", "down.queue=5 packets", "--set", "down.duplicate=5%",
                    "--set", "down.corrupt=1%", "--set", "down.reorder=5%", "--set", "up.loss=1%",
                    "--set", "down.delay=10 ms", "--set", "up.delay=10 ms", "--uplink", "none",
                    "--server", "iperf3 --server --one-off >/dev/null", "--server-ready", "5201",
                ] + files.options + [
                    "--", "iperf3", "--client", "server.linkcond", "--reverse", "--bytes", "500K",
                ]
            ).result()
            #expect(result.exitCode == 0, "\(result.standardError)")
            let statistics = try await files.statistics()
            let down = statistics.down.counters
            #expect(down.longestQueuePackets.map { $0 <= 6 } == true)

            let packets = try await files.packets(
                "frame.interface_name", "frame.comment", "frame.len", "frame.cap_len")
            #expect(packets.count == statistics.up.counters.lines + down.lines)
            #expect(packets.allSatisfy { $0[2] == $0[3] })
            // Super-packets are captured as the packets that the link has made of them.
            #expect(packets.allSatisfy { Int($0[2]).map { $0 <= 1514 } == true })
            let comments = packets.filter { $0[0] == "down" }.map { $0[1] }
            #expect(comments.count { $0 == "queue full" } == down.dropped)
            #expect(comments.count { $0.hasPrefix("duplicate, ") } == down.duplicatedPackets)
            #expect(comments.count { $0.hasPrefix("corrupted bit ") } == down.corruptedPackets)
            #expect(down.dropped > 0)
            #expect(comments.contains { $0.hasSuffix(", reordered") })
            let described = try await runProcess("capinfos", [files.capture])
            #expect(described.standardOutput.contains("Name = down"))
            #expect(described.standardOutput.contains("50 Mbit/s"))
            #expect(described.standardOutput.contains("apple/LTE, seed "))
            #expect(described.standardOutput.contains("linkcond \(statistics.linkcond)\n"))
        }
    }

    @Test func `a log of any other name is JSON, an object a line`() async throws {
        try await RecordingFiles.with { files in
            let path = files.directory.path + "/log.jsonl"
            _ = try await Self.run(
                Self.quickLoss + ["--log", path, "--", "ping", "-c", "3", "-i", "0.01", Self.far]
            ).result()
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let lines = text.split(separator: "\n")
            #expect(!lines.isEmpty)
            for line in lines {
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                #expect((object as? [String: Any])?["verdict"] is String)
            }
        }
    }

    @Test(arguments: ["INT", "KILL"])
    func `what was written when a signal ends the run can be read`(signal: String) async throws {
        try await RecordingFiles.with { files in
            let script = """
                "$0" run LTE --uplink none "$@" -- ping -n -i 0.01 198.18.0.1 >/dev/null & pid=$!
                until [ "$(wc -l <"$6" 2>/dev/null || echo 0)" -gt 20 ]; do sleep 0.02; done
                kill -\(signal) $pid
                wait $pid
                """
            let result = try await runProcess(
                "sh", ["-c", script, try SandboxedRun.program()] + files.options)
            // ping ends well when it is interrupted and has got answers.
            #expect(result.exitCode == (signal == "INT" ? 0 : 137))
            let count = try files.lines().count
            let packets = try await files.packets("frame.comment")
            #expect(packets.count >= 20)
            #expect(packets.allSatisfy { !$0[0].isEmpty })
            if signal == "INT" {
                #expect(packets.count == count)
                #expect(try await files.statistics().exitCode == 0)
            }
        }
    }

    @Test(arguments: ["--stats", "--pcap", "--log"])
    func `a file that cannot be written keeps the command from starting`(
        option: String
    ) async throws {
        for (path, caller) in [
            ("/nowhere/file", Caller.root), ("/root/file", .ordinaryUser), ("/", .root),
        ] {
            let result = try await Self.run(
                ["LTE", "--uplink", "none", option, path, "--", "echo", "started"], by: caller
            ).result()
            #expect(result.exitCode == 73)
            #expect(result.standardOutput == "")
            #expect(result.standardError.hasPrefix("linkcond: cannot write \(path): "))
        }
    }

    @Test func `a full disk is noted, and the run goes on`() async throws {
        try await RecordingFiles.with { files in
            let script = """
                mkdir "$1/disk"
                mount -t tmpfs -o size=64k none "$1/disk"
                "$0" run LTE --uplink none --pcap "$1/disk/a.pcapng" --log "$1/disk/a.csv" \
                    --stats "$1/stats.json" -- sh -c \
                    'ping -qn -c 600 -i 0.002 -s 1000 198.18.0.1 >/dev/null; exit 3'
                echo "exit code $?" >&2
                tshark -r "$1/disk/a.pcapng" >/dev/null 2>&1
                echo "tshark $?" >&2
                """
            let result = try await runProcess(
                "unshare",
                ["--mount", "sh", "-c", script, try SandboxedRun.program(), files.directory.path])
            let said = result.standardError
            #expect(said.contains("exit code 3\n"), "\(said)")
            #expect(said.contains("tshark 0\n"), "\(said)")
            #expect(
                said.contains(
                    "note: cannot write \(files.directory.path)/disk/a.pcapng: No space left on device; "
                ), "\(said)")
            #expect(try await files.statistics().exitCode == 3)
        }
    }

    @Test(arguments: ["stats", "timeline", "pcap", "log"])
    func `a file that cannot be written ends the run with 73`(option: String) async throws {
        try await RecordingFiles.with { files in
            let script = """
                mkdir "$1/disk"
                mount -t tmpfs -o size=64k none "$1/disk"
                cd "$1/disk"
                printf "$3" >old
                head -c 1M /dev/zero >fill 2>/dev/null
                "$0" run LTE --uplink none --$2 old -- \
                    sh -c 'ping -q -c 1 -W 1 192.0.2.1 >/dev/null; true'
                echo "exit code $?"
                cat old
                ls -A
                """
            // A stream has nowhere else to be; a result replaces the old one only as a whole.
            let old = ["pcap", "log"].contains(option) ? "" : "old\n"
            let result = try await runProcess(
                "unshare",
                [
                    "--mount", "sh", "-c", script, try SandboxedRun.program(), files.directory.path,
                    option, old,
                ])
            #expect(result.standardOutput == "exit code 73\n\(old)fill\nold\n", "\(result)")
            #expect(
                result.standardError.contains("cannot write old: No space left on device"),
                "\(result)")
        }
    }

    @Test func `under sudo the files are the caller's`() async throws {
        try await RecordingFiles.with { files in
            // The second time they are there already.
            for _ in 1...2 {
                let result = try await Self.run(
                    ["LTE", "--uplink", "none"] + files.options + ["--", "true"]
                ).result(environment: ["SUDO_UID": "1", "SUDO_GID": "2", "SUDO_USER": "daemon"])
                #expect(result.exitCode == 0, "\(result.standardError)")
                let owners = try shell("stat -c %u:%g \(files.directory.path)/*")
                #expect(owners == String(repeating: "1:2\n", count: 3))
            }
        }
    }

    @Test func `standard output can be one of the files, and is that alone`() async throws {
        let result = try await Self.run([
            "LTE", "--uplink", "none", "--stats", "-", "--", "sh", "-c", "echo said; exit 3",
        ]).result()
        #expect(result.exitCode == 3, "\(result)")
        try await JSONSchema("statistics").expectValid(result.standardOutput)
        #expect(result.standardError.contains("said\n"))
        let both = try await Self.run([
            "LTE", "--uplink", "none", "--stats", "-", "--log", "-", "--", "true",
        ]).result()
        #expect(both.exitCode == 64)
        #expect(both.standardOutput == "")
        #expect(both.standardError.contains("only one of --stats, --pcap, --log and --timeline"))
    }

    @Test func `relative paths are the caller's`() async throws {
        try await RecordingFiles.with { files in
            let result = try await Self.run(
                ["LTE", "--uplink", "none", "--stats", "stats.json", "--", "true"],
                by: .ordinaryUser
            ).result(workingDirectory: files.directory.path)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(try await files.statistics().exitCode == 0)
        }
    }

    @Test func `statistics tell of a conditioned loopback as well`() async throws {
        try await RecordingFiles.with { files in
            let result = try await Self.run(
                ["LTE", "--loopback", "--uplink", "none"] + files.options + [
                    "--", "ping", "-n", "-c", "3", "-i", "0.01", "127.0.0.1",
                ]
            ).result()
            #expect(result.exitCode == 0, "\(result.standardError)")
            let statistics = try await files.statistics()
            let loopback = try #require(statistics.loopback)
            #expect(loopback.up.packets + loopback.down.packets == 6)
            #expect(statistics.up.counters.arrivedPackets == 0)
        }
    }

    @Test(arguments: ["--pcap", "--log", "--seed"])
    func `the kernel data plane cannot tell single packets, and says so`(
        option: String
    ) async throws {
        let result = try await Self.run(
            ["LTE", "--backend", "kernel", option, "7", "--", "echo", "started"]
        ).result()
        #expect(result.exitCode == 69)
        #expect(result.standardOutput == "")
        #expect(result.standardError.contains("the kernel data plane cannot do \(option)"))
        #expect(!FileManager.default.fileExists(atPath: "/7"), "nothing is written")
    }

    @Test func `two files of one name are refused`() async throws {
        let result = try await Self.run(
            ["LTE", "--pcap", "/tmp/a", "--log", "/tmp/a", "--", "true"]
        ).result()
        #expect(result.exitCode == 64)
    }

    @Test func `whoever asks why is told the seed`() async throws {
        let result = try await Self.run(
            ["LTE", "--verbose", "--backend", "engine", "--uplink", "none", "--", "true"]
        ).result()
        #expect(result.standardError.contains(/--seed [0-9]+ repeats what it loses/))
    }
}

import Foundation
import LinkTesting
import Testing

/// What `status`, `path` and `verify` say of the run that they are in.
@Suite("Run: its own status", .requiresNamespaces, .tags(.contrary, .anyKernel))
struct RunStatusTests {
    /// Runs linkcond with these arguments inside a run of LTE, by the packet engine.
    private func inside(
        _ script: String, by caller: Caller = .ordinaryUser, _ options: String...
    ) async throws -> ProcessResult {
        let program = try SandboxedRun.program()
        return try await SandboxedRun(
            arguments: ["LTE", "--backend", "engine", "--uplink", "none"] + options + [
                "--server", "exec python3 -m http.server 8000", "--server-ready", "8000", "--",
                "sh", "-c", script, program,
            ], by: caller
        ).result()
    }

    private func status(_ text: String) throws -> Status {
        try JSONDecoder().decode(Status.self, from: Data(text.utf8))
    }

    @Test(arguments: Caller.allCases)
    func `status inside shows links, traffic, and until when`(caller: Caller) async throws {
        let result = try await inside(
            """
            curl -s -o /dev/null http://server.linkcond:8000/
            exec $0 status --json
            """, by: caller, "--timeout", "10 min", "--seed", "7")
        #expect(result.exitCode == 0, "\(result.standardError)")
        let link = try #require(try status(result.standardOutput).conditioned.first)
        #expect(link.interface == "eth0")
        #expect(link.profile == "apple/LTE")
        #expect(link.backend == "engine")
        #expect(link.seed == 7)
        #expect(link.command?.hasPrefix("sh -c") == true)
        #expect(link.until != nil)
        #expect(link.down?.bandwidthBitsPerSecond == 50_000_000)
        #expect(link.up?.delayMilliseconds == 65)
        // The handshake, the request and the end of the connection.
        #expect(link.up?.counters.packets ?? 0 >= 4)
        #expect(link.down?.counters.packets ?? 0 >= 4)
        let lateness = try #require(link.up?.counters.latenessMicroseconds)
        #expect(lateness.p50 <= lateness.p99 && lateness.p99 <= lateness.maximum)
    }

    @Test func `the output keeps to its schema`() async throws {
        for script in ["exec $0 status --json", "$0 verify --json || [ $? = 1 ]"] {
            let result = try await inside(script)
            #expect(result.exitCode == 0, "\(result.standardError)")
            try await JSONSchema("status").expectValid(result.standardOutput)
        }
    }

    @Test func `status, path and verify tell it to people`() async throws {
        let result = try await inside(
            """
            curl -s -o /dev/null http://server.linkcond:8000/
            $0 status; $0 path
            # Busy machines are late, and then it says so.
            $0 verify || [ $? = 1 ]
            """)
        #expect(result.exitCode == 0, "\(result.standardError)")
        let output = result.standardOutput
        #expect(output.contains("LATE"))
        #expect(output.contains("end of the run"))
        let line = "Run: eth0 is apple/LTE (down 50 Mbit/s, delay 50 ms"
        #expect(output.components(separatedBy: line).count == 3)
        #expect(output.contains("1% of packets more than"))
        #expect(output.contains("eth0: "))
    }

    @Test func `a scenario's changes are seen`() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write(
                """
                name: Change
                interfaces: { wifi0: { profile: WiFi }, cell0: { profile: LTE } }
                timeline: [{ at: 1 s, interface: wifi0, profile: 3G }]
                """, to: "change.yaml")
            try shell("chmod 755 \(directory.path); chmod 644 \(file)")
            let result = try await SandboxedRun(
                "--scenario", file, "--uplink", "none", "--", "sh", "-c",
                "until $0 status | grep -q apple/3G; do sleep 0.1; done; exec $0 status --json",
                try SandboxedRun.program(), by: .ordinaryUser
            ).result()
            #expect(result.exitCode == 0, "\(result.standardError)")
            let links = try status(result.standardOutput).conditioned
            #expect(links.map(\.interface) == ["wifi0", "cell0"])
            #expect(links.map(\.profile) == ["apple/3G", "apple/LTE"])
        }
    }

    @Test(arguments: Caller.allCases)
    func `from outside, by a process of the run`(caller: Caller) async throws {
        let result = try await StandInHost.script(
            """
            (run LTE --uplink none -- sleep 1000.$$) & job=$!
            until process=$(pgrep -f -x "sleep 1000.$$"); do sleep 0.05; done
            $IDENTITY $PROGRAM status --pid $process | grep -x 'eth0: apple/LTE'
            $IDENTITY $PROGRAM path --pid $process 2>/dev/null | grep -o 'Run: eth0 is apple/LTE'
            $IDENTITY $PROGRAM verify --pid $job | grep -o 'Run: eth0 is apple/LTE'
            # The host itself is in no run.
            $IDENTITY $PROGRAM status
            $IDENTITY $PROGRAM verify 2>/dev/null || echo code $?
            kill $job
            wait $job || true
            """, by: caller)
        #expect(result.exitCode == 0, "\(result.standardError)")
        #expect(
            result.standardOutput.split(separator: "\n").map {
                $0.split(separator: " ").joined(separator: " ")
            } == [
                "eth0: apple/LTE", "Run: eth0 is apple/LTE", "Run: eth0 is apple/LTE",
                "Nothing is conditioned.", "code 64",
            ])
    }

    @Test func `many ask at once, and one that says nothing holds up nobody`() async throws {
        let result = try await inside(
            """
            python3 -c 'import socket, time
            idle = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(20)]
            for s in idle: s.connect("\\0linkcond-run")
            time.sleep(100)' & idle=$!
            sleep 0.5
            for n in $(seq 20); do $0 status --json >/dev/null & asking="$asking $!"; done
            for process in $asking; do wait $process || exit 1; done
            $0 status | grep -o 'apple/LTE' | head -n 1
            kill $idle
            """)
        #expect(result.exitCode == 0, "\(result.standardError)")
        #expect(result.standardOutput == "apple/LTE\n")
    }
}

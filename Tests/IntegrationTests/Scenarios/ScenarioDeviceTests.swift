import Foundation
import LinkTesting
import Testing

/// Scenarios with several apps, each on a device of its own.
@Suite("Scenarios: devices", .requiresNamespaces, .tags(.anyKernel))
struct ScenarioDeviceTests {
    private static let interfaces = """
        { wifi-a: { profile: WiFi, expensive: true }, wifi-b: { profile: WiFi }, cell-b: { profile: LTE } }
        """
    private static let server = [
        "--server", "python3 -m http.server 8123 2> /dev/null", "--server-ready", "8123",
    ]

    /// What each device printed, by its name: lines begin with it.
    private static func lines(_ run: ScenarioRun, of device: String) -> [String] {
        run.result.standardOutput.split(separator: "\n").filter { $0.hasPrefix(device + " ") }
            .map { String($0.dropFirst(device.count + 1)) }
    }

    @Test(arguments: Caller.allCases)
    func `each has its interfaces, its links and what apps see, and all reach the servers`(
        caller: Caller
    ) async throws {
        try await ScenarioRun.with(
            interfaces: Self.interfaces + """

                apps:
                  a: { interfaces: [wifi-a] }
                  b: { interfaces: [cell-b, wifi-b] }
                """,
            timeline: """
                  - { at: 0.2 s, device: a, expect: { isExpensive: true, interface: wifi-a } }
                  - { at: 0.2 s, device: b, expect: { interface: cell-b } }
                  - { at: 0.4 s, prefer: wifi-b, device: b, exec: 'echo "$LINKCOND_DEVICE $LINKCOND_INTERFACE" > $D/exec' }
                  - { at: 0.6 s, device: b, expect: { interface: wifi-b } }
                  - { at: end, device: a, expect: { isConstrained: true } }
                  - { at: end, device: b, expect: { isConstrained: false } }
                """,
            script: """
                say() { echo "$LINKCOND_DEVICE $*"; }
                say $(ip -o link | grep -o '[a-z]*-[ab]' | sort)
                say $($LINKCOND status --json | grep -o '"interface" *: *"[^"]*"' | cut -d'"' -f4 | sort)
                if [ $LINKCOND_DEVICE = a ]; then
                    $LINKCOND override set -i wifi-a --low-data on > /dev/null
                fi
                echo > /dev/tcp/server.linkcond/8123 && say reached
                sleep 1
                """, options: Self.server, by: caller
        ) { run in
            #expect(run.result.exitCode == 0, run.said)
            #expect(Self.lines(run, of: "a") == ["wifi-a", "wifi-a", "reached"], run.said)
            #expect(
                Self.lines(run, of: "b") == ["cell-b wifi-b", "cell-b wifi-b", "reached"], run.said)
            let exec = try run.text(of: "exec")
            #expect(exec == "b cell-b\n")
            #expect(run.received.keys.sorted() == ["cell-b", "wifi-a", "wifi-b"])
            #expect((run.received["wifi-a"] ?? 0) > 0)
        }
    }

    @Test func `what happens to one app does not happen to the others`() async throws {
        try await ScenarioRun.with(
            interfaces: Self.interfaces + """

                apps:
                  a: { interfaces: [wifi-a] }
                  b: { interfaces: [wifi-b, cell-b], environment: { ROUND: first }, running: false }
                """,
            timeline: """
                  - { at: 0.5 s, device: b, app: relaunch }
                  - { at: 1.5 s, device: b, app: suspend }
                  - { at: 1.7 s, device: a, exec: "cat $D/beats.a | wc -c > $D/a1; cat $D/beats.b | wc -c > $D/b1" }
                  - { at: 2.3 s, device: a, exec: "cat $D/beats.a | wc -c > $D/a2; cat $D/beats.b | wc -c > $D/b2" }
                  - { at: 2.8 s, device: b, app: { relaunch: { home: /, environment: { ROUND: second }, arguments: [-c, 'echo "b $ROUND $HOME"; exit 4'] } } }
                  - { at: 3.2 s, device: a, app: { signal: USR1 } }
                  - { at: end, device: a, expect: { exit: 3 } }
                """,
            script: """
                beat() { while :; do printf . >> $D/beats.$1; sleep 0.05; done; }
                export -f beat
                trap 'echo "a heard"; exit 3' USR1
                trap 'exit 5' TERM
                echo "$LINKCOND_DEVICE $ROUND"
                (setsid bash -c "beat $LINKCOND_DEVICE" &)
                while :; do sleep 0.05; done
                """
        ) { run in
            // The exit of a is expected, so that of b counts.
            #expect(run.result.exitCode == 4, run.said)
            #expect(Self.lines(run, of: "a") == ["", "heard"], run.said)
            #expect(Self.lines(run, of: "b") == ["first", "second /"], run.said)
            let counts = try ["a1", "a2", "b1", "b2"].map { try run.text(of: $0) }
            #expect(counts[0] != counts[1], "a goes on")
            #expect(counts[2] == counts[3], "b is suspended")
            #expect(run.events.allSatisfy { !$0.isFailure }, run.said)
        }
    }

    @Test func `as root an app may be another user, and otherwise the reason is said`() async throws
    {
        let timeline = "  - { at: 0.3 s, app: { relaunch: { user: nobody } } }"
        let script = "id -un; echo $USER $HOME; [ $USER = nobody ] || sleep 100"
        let home = try shell("getent passwd nobody | cut -d: -f6").trimmingCharacters(
            in: .whitespacesAndNewlines)
        try await ScenarioRun.with(timeline: timeline, script: script) { run in
            #expect(run.result.exitCode == 0, run.said)
            #expect(run.result.standardOutput.hasSuffix("nobody\nnobody \(home)\n"), run.said)
        }
        try await withTemporaryDirectory { directory in
            try shell("chmod 755 \(directory.path)")
            let file = try directory.write(
                "name: A\ninterfaces: { x: { profile: LTE } }\ntimeline:\n\(timeline)", to: "a.yaml"
            )
            let run = SandboxedRun("--scenario", file, "--", "true", by: .ordinaryUser)
            let result = try await run.result()
            #expect(result.exitCode == 77)
            #expect(
                result.standardError
                    == "linkcond: user nobody: only root can start an app as another user; run it "
                    + "with sudo, or leave user out of the scenario\n")
        }
    }

    @Test func `under sudo an app of a scenario is not root`() async throws {
        try await withTemporaryDirectory { directory in
            try shell("chmod 755 \(directory.path)")
            let file = try directory.write(
                "name: A\ninterfaces: { x: { profile: LTE } }\n"
                    + "apps: { a: { interfaces: [x], user: root } }\n", to: "a.yaml")
            let result = try await SandboxedRun("--scenario", file, "--", "true").result(
                environment: ["SUDO_UID": "1", "SUDO_GID": "2", "SUDO_USER": "daemon"])
            #expect(result.exitCode == 77)
            #expect(
                result.standardError.hasPrefix(
                    "linkcond: user root: under sudo a scenario cannot start an app as root;"),
                "\(result)")
        }
    }

    @Test(arguments: [
        (
            ["--loopback", "--", "true"], 64,
            "--loopback conditions the loopback of one app, but the"
        ),
        (
            ["--publish", "8123:80", "--", "true"], 64,
            "--publish leads to the servers of one app, but"
        ),
        ([], 64, "a: there is no command; write it behind --, as in: linkcond run --scenario NAME"),
        (
            ["--", "true"], 125,
            "b: home /nonexistent: there is no such directory; make it with mkdir"
        ),
    ])
    func `what is impossible is refused`(
        options: [String], code: Int, message: String
    ) async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write(
                """
                name: A
                interfaces: \(Self.interfaces)
                apps:
                  a: { interfaces: [wifi-a] }
                  b: { interfaces: [wifi-b, cell-b], home: /nonexistent }
                """, to: "a.yaml")
            let arguments = ["--scenario", file, "--uplink", "none", "--backend", "engine"]
            let result = try await SandboxedRun(arguments: arguments + options).result()
            #expect(result.exitCode.map { Int($0) } == code)
            #expect(
                result.standardError.hasPrefix("linkcond: " + message), "\(result.standardError)")
        }
    }
}

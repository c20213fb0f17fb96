import Foundation
import LinkTesting
import Testing

/// What a scenario does to the network, as the app sees it.
@Suite("Scenarios: the network", .requiresNamespaces, .tags(.contrary, .anyKernel))
struct ScenarioNetworkTests {
    private static let interfaces =
        "{ wifi0: { profile: WiFi }, cell0: { profile: LTE, expensive: true }, "
        + "vpn0: { profile: LTE, present: false } }"

    @Test func `an app that watches its path sees every step`() async throws {
        try await ScenarioRun.expectAllSteps(Self.missingSteps)
    }

    private static func missingSteps(pace: Double) async throws -> [String] {
        var missing: [String] = []
        try await ScenarioRun.with(
            interfaces: interfaces,
            timeline: """
                  - { at: \(1.5 * pace) s, interface: wifi0, down: true }
                  - { at: \(2.1 * pace) s, interface: wifi0, up: true, constrained: true }
                  - { at: \(2.7 * pace) s, prefer: cell0 }
                  - { at: \(3.3 * pace) s, interface: cell0, expensive: false }
                  - { at: \(3.9 * pace) s, appear: vpn0 }
                  - { at: \(4.2 * pace) s, prefer: vpn0 }
                  - { at: \(4.8 * pace) s, vanish: vpn0 }
                  - { at: \(5.4 * pace) s, app: terminate }
                """, script: "exec $LINKCOND path --json --watch"
        ) { run in
            #expect(run.result.exitCode == 143, run.said)
            #expect(run.events.allSatisfy { !$0.isFailure }, run.said)
            missing = try ScenarioRun.steps(
                [
                    "wifi0 false false", "cell0 true false", "wifi0 false true",
                    "cell0 true false", "cell0 false false", "vpn0 false false",
                    "cell0 false false",
                ], missingIn: ScenarioRun.paths(of: run.result.standardOutput))
        }
        return missing
    }

    @Test func `conditions change in steps and ramps, and packets feel it`() async throws {
        try await ScenarioRun.with(
            timeline: """
                  - { at: 2 s, set: { up.delay: 600 ms }, over: 1 s }
                  - { at: 3.2 s, exec: "touch $D/changed" }
                """,
            script: """
                far=$(ip -4 route show default | cut -d' ' -f3)
                ping -c 1 $far > $D/early
                until [ -e $D/changed ]; do sleep 0.1; done
                ping -c 1 $far > $D/late
                """
        ) { run in
            #expect(run.result.exitCode == 0, run.said)
            let times = try ["early", "late"].map { name in
                try run.text(of: name).firstMatch(of: /time=([0-9.]+)/).flatMap {
                    Double($0.output.1)
                }
            }
            #expect((times[1] ?? 0) > 600)
            #expect((times[0] ?? 1000) < 600)
            #expect(
                run.events.map(\.text).prefix(2) == [
                    "eth0: apple/LTE, up.delay=600 ms over 1 s",
                    "eth0: apple/LTE, up.delay=600 ms reached",
                ])
        }
    }

    @Test func `what is not as expected fails the run, by file and line`() async throws {
        try await ScenarioRun.with(
            timeline: """
                  - { at: 0.5 s, expect: { isConstrained: false, status: satisfied } }
                  - { at: 0.6 s, expect: { isConstrained: true } }
                  - { at: 0.7 s, expect: { command: "exit 7" } }
                  - { at: 0.8 s, expect: { command: "test -e $D/ready", within: 20 s } }
                  - { at: 400 s, expect: { isConstrained: true } }
                  - { at: end, expect: { exit: nonzero } }
                """,
            script: "sleep 1.5; touch $D/ready; echo $LINKCOND_SCENARIO; sleep 0.5"
        ) { run in
            #expect(run.result.exitCode == 1, run.said)
            #expect(run.result.standardOutput == "A test\n")
            let lines = run.result.standardError.split(separator: "\n").filter {
                $0.contains("test.yaml:")
            }.map { $0.split(separator: "/").last.map(String.init) ?? "" }
            #expect(
                Set(lines) == [
                    "test.yaml:5: expected isConstrained == true; was false",
                    "test.yaml:6: expected `exit 7` to succeed; it ended with exit code 7",
                    "test.yaml:8: not judged: the command had ended",
                    "test.yaml:9: expected exit == nonzero; was 0",
                ], run.said)
            #expect(run.events.filter(\.isFailure).count == 3)
        }
    }
}

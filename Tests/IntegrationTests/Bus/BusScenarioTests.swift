import Foundation
import LinkTesting
import Testing

/// What GLib and `NetworkPathMonitor` see of a scenario, side by side.
@Suite(
    "Bus: programs in a scenario", .requiresNamespaces,
    .requiresInstalled("dbus-daemon", python: "gi"), .tags(.anyKernel))
struct BusScenarioTests {
    @Test func `GLib and NetworkPathMonitor see each step, in order`() async throws {
        try await ScenarioRun.expectAllSteps(Self.missingSteps)
    }

    /// What was not seen of a scenario that is played this many times slower.
    private static func missingSteps(pace: Double) async throws -> [String] {
        // `:` changes nothing: the program waits for the next change by somebody else.
        let waits = Array(repeating: ":", count: 40).joined(separator: " ")
        var missing: [String] = []
        try await ScenarioRun.with(
            interfaces: "{ wifi0: { profile: WiFi }, cell0: { profile: LTE, expensive: true } }",
            timeline: """
                  - { at: \(6 * pace) s, interface: wifi0, constrained: true }
                  - { at: \(6.9 * pace) s, interface: wifi0, constrained: false }
                  - { at: \(7.8 * pace) s, interface: wifi0, down: true }
                  - { at: \(8.7 * pace) s, interface: cell0, down: true }
                  - { at: \(9.6 * pace) s, interface: cell0, up: true }
                  - { at: \(10.5 * pace) s, interface: wifi0, up: true }
                  - { at: \(11.4 * pace) s, interface: wifi0, expensive: true }
                  - { at: \(12.3 * pace) s, app: terminate }
                """,
            script: """
                $LINKCOND path --json --watch > $D/paths &
                exec \(BusFixture.python) \(BusFixture.path(of: "networkmonitor.py")) \(waits)
                """, options: ["--dbus"]
        ) { run in
            #expect(run.result.exitCode == 143, run.said)
            // Available and metered.
            let states = run.result.standardOutput.split(separator: "\n").map {
                $0.split(separator: " ")[1...2].joined(separator: " ")
            }
            missing += ScenarioRun.steps(
                [
                    "True False", "True True", "True False", "True True", "False False",
                    "True True", "True False", "True True",
                ], missingIn: states)
            missing += try ScenarioRun.steps(
                [
                    "wifi0 false false", "wifi0 false true", "wifi0 false false",
                    "cell0 true false", "none false false", "cell0 true false",
                    "wifi0 false false", "wifi0 true false",
                ], missingIn: ScenarioRun.paths(of: run.text(of: "paths")))
        }
        return missing
    }
}

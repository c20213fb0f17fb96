import Foundation
import LinkTesting
import Testing

/// What GLib and `NetworkPathMonitor` see of a scenario, side by side.
@Suite(
    "Bus: programs in a scenario", .requiresNamespaces,
    .requiresInstalled("dbus-daemon", python: "gi"))
struct BusScenarioTests {
    /// Steps that come one after the other while a busy machine lets neither program run look like
    /// one to them; so there it is played again, slower.
    @Test func `GLib and NetworkPathMonitor see each step, in order`() async throws {
        var missing: [String] = []
        for pace in [1.0, 2, 4] {
            missing = try await Self.missingSteps(pace: pace)
            if missing.isEmpty { break }
        }
        #expect(missing.isEmpty, "\(missing)")
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
            missing += steps(
                [
                    "True False", "True True", "True False", "True True", "False False",
                    "True True", "True False", "True True",
                ], missingIn: states)
            let paths = try run.text(of: "paths").split(separator: "\n").map {
                let path = try Path(json: String($0))
                let name = path.interfaces.first { $0.isUsed }?.name ?? "none"
                return "\(name) \(path.isExpensive) \(path.isConstrained)"
            }
            missing += steps(
                [
                    "wifi0 false false", "wifi0 false true", "wifi0 false false",
                    "cell0 true false", "none false false", "cell0 true false",
                    "wifi0 false false", "wifi0 true false",
                ], missingIn: paths)
        }
        return missing
    }

    /// What of `wanted` was not seen in this order; between two steps there may be others, as
    /// addresses go one after the other.
    private static func steps(_ wanted: [String], missingIn seen: [String]) -> ArraySlice<String> {
        var left = wanted[...]
        for text in seen where text == left.first { left = left.dropFirst() }
        return left
    }
}

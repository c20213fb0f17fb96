import Foundation
import LinkTesting
import Testing

/// What GLib and `NetworkPathMonitor` see of a scenario, side by side.
@Suite(
    "Bus: programs in a scenario", .requiresNamespaces,
    .requiresInstalled("dbus-daemon", python: "gi"))
struct BusScenarioTests {
    @Test func `GLib and NetworkPathMonitor see each step, in order`() async throws {
        // `:` changes nothing: the program waits for the next change by somebody else.
        let waits = Array(repeating: ":", count: 40).joined(separator: " ")
        try await ScenarioRun.with(
            interfaces: "{ wifi0: { profile: WiFi }, cell0: { profile: LTE, expensive: true } }",
            timeline: """
                  - { at: 6 s, interface: wifi0, constrained: true }
                  - { at: 6.9 s, interface: wifi0, constrained: false }
                  - { at: 7.8 s, interface: wifi0, down: true }
                  - { at: 8.7 s, interface: cell0, down: true }
                  - { at: 9.6 s, interface: cell0, up: true }
                  - { at: 10.5 s, interface: wifi0, up: true }
                  - { at: 11.4 s, interface: wifi0, expensive: true }
                  - { at: 12.3 s, app: terminate }
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
            let metered = "True True"
            let free = "True False"
            let none = "False False"
            Self.expect(
                states, toContain: [free, metered, free, metered, none, metered, free, metered])

            let paths = try run.text(of: "paths").split(separator: "\n").map {
                let path = try Path(json: String($0))
                let name = path.interfaces.first { $0.isUsed }?.name ?? "none"
                return "\(name) \(path.isExpensive) \(path.isConstrained)"
            }
            Self.expect(
                paths,
                toContain: [
                    "wifi0 false false", "wifi0 false true", "wifi0 false false",
                    "cell0 true false", "none false false", "cell0 true false",
                    "wifi0 false false", "wifi0 true false",
                ])
        }
    }

    /// In this order; between two steps there may be others, as addresses go one after the other.
    private static func expect(_ seen: [String], toContain steps: [String]) {
        var left = steps[...]
        for text in seen where text == left.first { left = left.dropFirst() }
        #expect(left.isEmpty, "saw \(seen)")
    }
}

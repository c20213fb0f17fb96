import LinkModel
import LinkTesting
import LinkUnits
import ProfileFormat
import Scenarios
import Testing

/// A few profiles to tell apart.
private let profiles: [String: Profile] = [
    "WiFi": Profile(
        name: "WiFi", family: "test", interface: .wifi,
        conditions: LinkConditions(down: .init(bandwidth: .megabitsPerSecond(40)))),
    "LTE": Profile(
        name: "LTE", family: "test", interface: .cellular,
        conditions: LinkConditions(
            down: .init(bandwidth: .megabitsPerSecond(50), delay: .milliseconds(50)),
            up: .init(bandwidth: .megabitsPerSecond(10), delay: .milliseconds(65)))),
    "Free": Profile(name: "Free", family: "test"),
]

struct NoSuchProfile: Error, CustomStringConvertible {
    let description: String
}

/// Reads a scenario whose profiles are `WiFi`, `LTE` and `Free`.
func readScenario(_ text: String) throws -> Scenario {
    try ScenarioReader.scenario(from: text, file: "a.yaml") { name in
        guard let profile = profiles[name] else {
            throw NoSuchProfile(description: "\(name): no such profile")
        }
        return profile
    } path: {
        "beside/" + $0
    }
}

/// A scenario with `wifi0`, `cell0` and the absent `vpn0`, and this timeline from line 5 on.
func scenario(timeline: String) throws -> Scenario {
    try readScenario(
        """
        name: A
        interfaces: { wifi0: { profile: WiFi }, cell0: { profile: LTE },
            vpn0: { profile: Free, present: false } }
        timeline:
        \(timeline)
        """)
}

/// The first events of a timeline, `5 s wifi0: down`, in the words of people.
func events(_ scenario: Scenario, seed: UInt64 = 1, limit: Int = 30) -> [String] {
    Timeline(scenario, seed: seed).prefix(limit).map { event in
        let time = event.time == .zero ? "0 s" : event.time.unitText
        return "\(time) \(event.action)"
    }
}

/// `yaml` in the syntax that the validator reads.
func json(of yaml: String) async throws -> String {
    let result = try await runProcess(
        "python3",
        ["-c", "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"],
        input: yaml)
    #expect(result.exitCode == 0, "\(result.standardError)")
    return result.standardOutput
}

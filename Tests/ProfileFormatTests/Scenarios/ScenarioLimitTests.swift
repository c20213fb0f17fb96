import LinkTesting
import LinkUnits
import ProfileFormat
import Scenarios
import Testing

@Suite("Limits by volume in a scenario file", .tags(.unit)) struct ScenarioLimitTests {
    private static func scenario(_ entry: String) throws -> Scenario {
        try readScenario(
            """
            name: A
            interfaces: { wifi0: { profile: WiFi }, cell0: { profile: LTE } }
            timeline:
              - { \(entry) }
            """)
    }

    @Test func `an entry waits for what an interface carries`() throws {
        let entry = try #require(
            try Self.scenario("at: 6 s, interface: cell0, limit: 20 MB, down: true, prefer: wifi0")
                .entries.first)
        #expect(
            entry.limit
                == VolumeLimit(interface: "cell0", volume: ByteCount(bytes: 20_000_000)))
        #expect(entry.when == "6 s + 20 MB of cell0")
        #expect(
            entry.actions
                == [.carrier(interface: "cell0", isUp: false), .prefer(interface: "wifi0")])
        let other = try Self.scenario("at: 6 s, interface: cell0, limit: 1500 B, prefer: wifi0")
        #expect(other.entries.first?.when == "6 s + 1500 B of cell0")
    }

    @Test(arguments: [
        ("at: 6 s, limit: 20 MB, prefer: cell0", "limit: which interface?"),
        ("at: 6 s, interface: cell0, limit: 20, down: true", "limit: "),
        ("at: 6 s, interface: cell1, limit: 20 MB, down: true", "no such interface"),
        (
            "at: 6 s, interface: cell0, limit: 0 B, down: true",
            "limit: is reached before anything is carried; leave it out"
        ),
        (
            "at: 6 s, interface: cell0, limit: 20 MB, down: true, for: 3 s",
            "for: has no meaning with limit; write an entry that undoes it"
        ),
        (
            "at: 6 s, interface: cell0, limit: 20 MB, constrained: true",
            "constrained: cannot wait for a limit; only down, prefer and exec can"
        ),
        (
            "every: 6 s, interface: cell0, limit: 20 MB, down: true",
            "limit: is counted from one time on; write at: 0 s"
        ),
    ])
    func `what makes no sense is said`(_ entry: String, _ message: String) throws {
        let error = #expect(throws: ProfileError.self) { try Self.scenario(entry) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }
}

import LinkModel
import LinkTesting
import LinkUnits
import ProfileFormat
import Scenarios
import Testing

@Suite("What a scenario file says", .tags(.unit))
struct ScenarioReaderTests {
    /// Every key, and every form of value.
    static let everything = """
        # yaml-language-server: $schema=scenario.schema.json
        name: Everything There Is
        aliases: [all]
        summary: Every key of a
          scenario
        advice:
          - Do this.
          - Do
            that.
        source: "Nobody"
        interfaces:
          wifi0: { profile: WiFi, set: { up.loss: 1%, down.trace: down.trace, down.bandwidth: unlimited } }
          cell0: { profile: LTE, expensive: true, kind: other, constrained: false }
          vpn0: { profile: Free, present: false }
        multipath: handover
        timeline:
          - { at: 1 s, interface: wifi0, profile: LTE, over: 500 ms }
          - { at: 2 s ± 100 ms, interface: cell0, set: { down.loss: { mean: 2%, burst: 8 }, blackhole: true, dns.delay: 3 s } }
          - { at: 3 s +- 100 ms, interface: wifi0, down: true, for: 1 s }
          - { at: 5 s, interface: wifi0, up: true, constrained: true, expensive: false, kind: wired }
          - { at: 6 s, appear: vpn0, prefer: vpn0 }
          - { at: 7 s, vanish: vpn0 }
          - { every: 2 s, from: 8 s, until: 12 s, interface: cell0, set: { up.delay: 1 ms, up.jitter: 1 ms, up.distribution: uniform, up.reorder: 1%, up.queue: 64 KiB, up.aqm: codel }, for: 1 s }
          - { at: 13 s, app: suspend, for: 1 s }
          - { at: 15 s, app: { signal: SIGUSR1 } }
          - { at: 16 s, app: terminate }
          - { at: 17 s, app: relaunch }
          - { at: 18 s, exec: "echo a; echo b" }
          - { at: 19 s, expect: { status: satisfied, isExpensive: true, isConstrained: false, interface: cell0, command: test -e x, within: 2 s } }
          - { at: end, expect: { exit: zero } }
          - { at: end, expect: { exit: nonzero } }
        repeat: { every: 20 s, times: 2 }

        """

    @Test func `every key is read`() throws {
        let scenario = try readScenario(Self.everything)
        #expect(scenario.name == "Everything There Is")
        #expect(scenario.aliases == ["all"])
        #expect(scenario.summary == "Every key of a scenario")
        #expect(scenario.advice == ["Do this.", "Do that."])
        #expect(scenario.multipath == .handover)
        #expect(scenario.repetition == .init(count: 2, period: .seconds(20)))
        #expect(scenario.length == .seconds(40))
        #expect(scenario.interfaces.map(\.name) == ["wifi0", "cell0", "vpn0"])
        #expect(scenario.interfaces.map(\.isPresent) == [true, true, false])
        #expect(scenario.interfaces.map(\.line) == [12, 13, 14])
        let wifi = scenario.interfaces[0]
        #expect(wifi.profile.conditions.up.loss == .random(.percent(1)))
        #expect(wifi.profile.conditions.down.trace == "beside/down.trace")
        #expect(
            wifi.conditionsName
                == "test/WiFi, up.loss=1%, down.trace=down.trace, down.bandwidth=unlimited")
        #expect(
            scenario.interfaces[1].initialOverride
                == InterfaceOverride(cost: .expensive, lowData: .off, kind: .other))
        #expect(scenario.entries.map(\.line) == Array(17...31))
        #expect(
            scenario.entries.map {
                "\($0.schedule): \($0.actions.map(\.description).joined(separator: "; "))"
            }
                == [
                    "1 s: wifi0: test/LTE over 500 ms",
                    "2 s ± 100 ms: cell0: down.loss={ mean: 2%, burst: 8 }, blackhole=true, dns.delay=3 s",
                    "3 s ± 100 ms: wifi0: down",
                    "5 s: wifi0: up; wifi0: wired, not expensive, constrained",
                    "6 s: vpn0: appears; prefer vpn0", "7 s: vpn0: vanishes",
                    "every 2 s from 8 s until 12 s: cell0: up.delay=1 ms, up.jitter=1 ms, "
                        + "up.distribution=uniform, up.reorder=1%, up.queue=64 KiB, up.aqm=codel",
                    "13 s: app: suspend", "15 s: app: signal USR1", "16 s: app: terminate",
                    "17 s: app: relaunch", "18 s: exec: echo a; echo b",
                    "19 s: expect: status satisfied, isExpensive true, isConstrained false, "
                        + "interface cell0, test -e x succeeds within 2 s",
                    "end: expect: exit 0", "end: expect: exit nonzero",
                ])
        #expect(Timeline(scenario, seed: 1).endExpectations.map(\.line) == [30, 31])
    }

    @Test func `the schema knows every key`() async throws {
        try await JSONSchema("scenario").expectValid(try await json(of: Self.everything))
    }

    @Test func `an empty timeline is a scenario in which nothing happens`() throws {
        for timeline in ["", "timeline: []", "repeat: { every: 1 s }"] {
            let scenario = try readScenario(
                "name: A\ninterfaces: { wifi0: { profile: WiFi } }\n\(timeline)")
            #expect(events(scenario).isEmpty)
        }
    }

    @Test func `the only interface need not be named`() throws {
        let scenario = try readScenario(
            "name: A\ninterfaces: { x: { profile: WiFi } }\ntimeline: [{ at: 1 s, down: true }]")
        #expect(events(scenario) == ["1 s x: down"])
    }
}

import LinkModel
import LinkTesting
import LinkUnits
import Scenarios
import Testing

@Suite("The events of a scenario", .tags(.unit))
struct TimelineTests {
    @Test func `events come by time, those of one time in the order of the file`() throws {
        let scenario = try scenario(
            timeline: """
                - { at: 2 s, prefer: cell0 }
                - { at: 1 s, interface: wifi0, down: true, for: 1 s }
                - { at: 2 s, exec: "true" }
                - { every: 1 s, until: 2 s, interface: cell0, expensive: true }
                """)
        #expect(
            events(scenario) == [
                "0 s cell0: cellular, expensive", "1 s wifi0: down",
                "1 s cell0: cellular, expensive", "2 s wifi0: up", "2 s prefer cell0",
                "2 s exec: true", "2 s cell0: cellular, expensive",
            ])
        #expect(scenario.length == .seconds(2))
    }

    @Test func `a temporary change lies on top of a lasting one`() throws {
        let scenario = try scenario(
            timeline: """
                - { every: 10 s, from: 10 s, until: 20 s, interface: cell0, set: { down.delay: 1 s }, for: 2 s }
                - { at: 11 s, interface: cell0, profile: WiFi }
                - { at: 21 s, interface: cell0, set: { down.delay: 5 ms, up.loss: 1% } }
                """)
        let delays = Timeline(scenario, seed: 1).map { event in
            guard case .change(_, let name, let conditions, _) = event.action else { return "?" }
            return "\(event.time) \(name) \(conditions.down.delay.unitText)"
        }
        #expect(
            delays == [
                "10.0 seconds test/LTE, down.delay=1 s 1 s",
                "11.0 seconds test/WiFi, down.delay=1 s 1 s",
                "12.0 seconds test/WiFi 0 ms",
                "20.0 seconds test/WiFi, down.delay=1 s 1 s",
                "21.0 seconds test/WiFi, down.delay=1 s, up.loss=1% 1 s",
                "22.0 seconds test/WiFi, down.delay=5 ms, up.loss=1% 5 ms",
            ])
    }

    @Test func `what ends goes back the way it came`() throws {
        let scenario = try scenario(
            timeline: """
                - { at: 1 s, interface: wifi0, profile: LTE, over: 1 s, for: 3 s, constrained: true }
                - { at: 2 s, appear: vpn0, prefer: vpn0, app: suspend, for: 1 s }
                """)
        #expect(
            events(scenario) == [
                "1 s wifi0: test/LTE over 1 s", "1 s wifi0: wifi, constrained",
                "2 s vpn0: appears", "2 s prefer vpn0", "2 s app: suspend", "3 s app: resume",
                "3 s prefer wifi0", "3 s vpn0: vanishes", "4 s wifi0: wifi",
                "4 s wifi0: test/WiFi over 1 s",
            ])
        #expect(scenario.length == .seconds(5))
    }

    @Test func `every pass begins as the scenario does`() throws {
        let scenario = try readScenario(
            """
            name: A
            interfaces: { a: { profile: WiFi }, b: { profile: LTE }, c: { profile: LTE, present: false } }
            timeline:
              - { at: 1 s, interface: a, down: true, constrained: true, set: { up.loss: 1% } }
              - { at: 2 s, appear: c, prefer: c }
            repeat: { every: 10 s, times: 2 }
            """)
        let pass = [
            "a: test/WiFi, up.loss=1%", "a: down", "a: wifi, constrained", "c: appears", "prefer c",
        ]
        let times = ["1 s", "1 s", "1 s", "2 s", "2 s"]
        #expect(
            events(scenario)
                == zip(times, pass).map { "\($0) \($1)" }
                + [
                    "10 s a: test/WiFi", "10 s a: wifi", "10 s a: up", "10 s c: vanishes",
                    "10 s prefer c", "10 s prefer b", "10 s prefer a",
                ] + zip(times, pass).map { "1\($0) \($1)" })
    }

    @Test func `what repeats itself ends with its pass`() throws {
        let scenario = try readScenario(
            """
            name: A
            interfaces: { x: { profile: WiFi } }
            timeline: [{ every: 5 s, exec: "true" }, { every: 5 s, down: true, for: 5 s }]
            repeat: { every: 10 s, times: 2 }
            """)
        #expect(
            events(scenario) == [
                "0 s exec: true", "0 s x: down", "5 s x: up", "5 s exec: true", "5 s x: down",
                "10 s x: up", "10 s exec: true", "10 s x: down", "15 s x: up", "15 s exec: true",
                "15 s x: down", "20 s x: up",
            ])
    }

    @Test func `without end it goes on and on`() throws {
        let every = try scenario(timeline: "- { every: 1 s, prefer: cell0 }")
        #expect(every.length == nil)
        let times = Timeline(every, seed: 1).prefix(5000).map(\.time)
        #expect(times == (0..<5000).map { .seconds($0) })
        let again = try readScenario(
            "name: A\ninterfaces: { x: { profile: WiFi } }\n"
                + "timeline: [{ at: 300 ms, exec: x }]\nrepeat: { every: 1 s }")
        #expect(again.length == nil)
        let repeated = Timeline(again, seed: 1).prefix(5000).map(\.time)
        #expect(repeated == (0..<5000).map { .milliseconds(1000 * $0 + 300) })
    }

    @Test func `the same seed gives the same times, another one others`() throws {
        let scenario = try readScenario(
            """
            name: A
            interfaces: { x: { profile: WiFi } }
            timeline:
              - { at: 5 s ± 2 s, exec: first }
              - { at: 5 s ± 2 s, exec: second }
            repeat: { every: 10 s }
            """)
        let all = (0..<50).map { seed in
            Timeline(scenario, seed: seed).prefix(40).map { $0 }
        }
        for (seed, events) in all.enumerated() {
            #expect(Timeline(scenario, seed: UInt64(seed)).prefix(40).map { $0 } == events)
            #expect(events.map(\.time) == events.map(\.time).sorted())
            for (index, event) in events.enumerated() {
                let start = Duration.seconds(10 * (index / 2))
                #expect((.seconds(3)...Duration.seconds(7)).contains(event.time - start))
            }
        }
        #expect(Set(all).count == all.count)
        // Uniform: the mean of 2,000 times, within five standard errors of 5 s (2 s / sqrt(3) each).
        let sum = all.joined().enumerated().reduce(Duration.zero) { sum, element in
            sum + element.element.time - .seconds(10 * (element.offset % 40 / 2))
        }
        #expect(abs(sum / .seconds(2000) - 5) < 0.13)
    }

    @Test func `a thousand entries are read and played`() throws {
        let lines = (0..<1000).map { index in
            "- { at: \(600 * index) ms, interface: wifi0, set: { down.delay: \(index + 1) us } }"
        }
        let scenario = try scenario(timeline: lines.joined(separator: "\n"))
        let events = Array(Timeline(scenario, seed: 1))
        #expect(events.map(\.time) == (0..<1000).map { .milliseconds(600 * $0) })
        #expect(events.map(\.line) == (5..<1005).map { $0 })
    }
}

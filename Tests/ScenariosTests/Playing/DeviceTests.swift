import LinkModel
import LinkTesting
import LinkUnits
import Scenarios
import Testing

@Suite("Devices of a scenario", .tags(.unit)) struct DeviceTests {
    private static func scenario(_ entries: [ScenarioEntry]) -> Scenario {
        var scenario = TimelinePlayerTests.scenario(entries)
        scenario.apps = [
            ScenarioApp(name: "a", interfaces: ["wifi0"]),
            ScenarioApp(name: "b", interfaces: ["cell0"]),
        ]
        return scenario
    }

    private static func entry(
        at seconds: Int, on device: String, _ action: ScenarioAction, for length: Duration? = nil
    ) -> ScenarioEntry {
        ScenarioEntry(
            schedule: .once(at: .seconds(seconds), spread: .zero), device: device,
            actions: [action], length: length, line: 7)
    }

    @Test func `what happens to an app happens on its device`() {
        let again = LaunchOptions(environment: ["ACCOUNT": "ben"])
        var player = TimelinePlayer(
            Self.scenario([
                Self.entry(at: 1, on: "a", .app(.suspend), for: .seconds(1)),
                Self.entry(at: 3, on: "b", .app(.relaunch(again))),
                Self.entry(at: 4, on: "a", .execute("./hook")),
            ]), seed: 1)
        var stage = VirtualStage()
        let events = stage.play(&player)
        #expect(
            stage.deeds == [
                "1000.0: a: suspend", "2000.0: a: resume",
                "3000.0: b: relaunch (ACCOUNT=ben)", "4000.0: a: exec ./hook",
            ])
        #expect(
            events.map(\.text) == [
                "a: suspend", "a: resume", "b: relaunch (ACCOUNT=ben)", "a: exec: ./hook",
            ])
    }

    @Test func `a device is judged by its own path and its own commands`() {
        let expensive = Expectation(isExpensive: true)
        let command = Expectation(command: .init(text: "test", limit: .zero))
        var player = TimelinePlayer(
            Self.scenario([
                Self.entry(at: 1, on: "a", .expect(expensive)),
                Self.entry(at: 1, on: "b", .expect(expensive)),
                Self.entry(at: 2, on: "b", .expect(command)),
            ]), seed: 1)
        var stage = VirtualStage(checks: [(code: 1, length: .milliseconds(100))])
        stage.seenPaths = [
            "a": SeenPath(status: .satisfied), "b": SeenPath(status: .satisfied, isExpensive: true),
        ]
        let events = stage.play(&player)
        #expect(
            events.map(\.sentence) == [
                "a: expected isExpensive == true; was false", "b: expect: isExpensive true",
                "b: expected `test` to succeed; it ended with exit code 1",
            ])
        #expect(stage.deeds == ["2000.0: b: check test"])
    }

    @Test func `an exit is that of the device`() {
        let exits = ["a", "b"].map { device in
            ScenarioEntry(
                schedule: .atEnd, device: device, actions: [.expect(Expectation(exit: .code(0)))])
        }
        let scenario = Self.scenario(exits)
        #expect(scenario.expectsExit(on: "a") && !scenario.expectsExit(on: nil))
        var player = TimelinePlayer(scenario, seed: 1)
        var stage = VirtualStage()
        let end = player.end(exitCodes: ["a": 0, "b": 3], on: &stage)
        #expect(
            end.events.map(\.sentence) == ["a: expect: exit 0", "b: expected exit == 0; was 3"])
    }

    private typealias Expectation = Scenarios.Expectation
}

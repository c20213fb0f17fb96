import LinkModel
import LinkTesting
import LinkUnits
import Scenarios
import Testing

@Suite("TimelinePlayer", .tags(.unit)) struct TimelinePlayerTests {
    private static let slow = Self.conditions(delay: 300)

    private static func conditions(delay: Int64) -> LinkConditions {
        LinkConditions(down: DirectionConditions(delay: .milliseconds(delay)))
    }

    static func scenario(
        _ entries: [ScenarioEntry], repetition: Scenario.Repetition? = nil
    ) -> Scenario {
        let interfaces = ["wifi0", "cell0"].map {
            ScenarioInterface(
                name: $0,
                profile: Profile(name: "Good", family: "test", conditions: conditions(delay: 100)))
        }
        return Scenario(
            name: "Test", interfaces: interfaces, entries: entries, repetition: repetition)
    }

    static func entry(
        at time: Duration, _ actions: ScenarioAction..., limit: VolumeLimit? = nil,
        line: Int? = nil
    ) -> ScenarioEntry {
        ScenarioEntry(
            schedule: .once(at: time, spread: .zero), actions: Array(actions), limit: limit,
            line: line)
    }

    private static func change(over: Duration = .zero) -> ScenarioAction {
        let profile = Profile(name: "Slow", family: "test", conditions: slow)
        return .change(interface: "wifi0", ConditionsChange(profile: profile), over: over)
    }

    @Test func `events happen at their times, whatever they are about`() {
        var player = TimelinePlayer(
            Self.scenario([
                Self.entry(at: .seconds(1), Self.change()),
                Self.entry(at: .seconds(2), .carrier(interface: "wifi0", isUp: false)),
                Self.entry(at: .seconds(2), .prefer(interface: "cell0")),
                Self.entry(at: .seconds(3), .app(.suspend), .execute("./sign-out")),
                Self.entry(at: .seconds(4), .presence(interface: "cell0", isPresent: false)),
                Self.entry(
                    at: .seconds(5),
                    .override(interface: "wifi0", InterfaceOverride(cost: .expensive))),
            ]), seed: 1)
        var stage = VirtualStage()
        let events = stage.play(&player)
        #expect(
            stage.deeds == [
                "1000.0: wifi0 test/Slow", "2000.0: wifi0 down", "2000.0: prefer cell0",
                "3000.0: suspend", "3000.0: exec ./sign-out", "4000.0: cell0 vanishes",
                "5000.0: wifi0 wifi, expensive",
            ])
        #expect(events.map(\.time) == events.map(\.plannedTime))
        #expect(events.allSatisfy { $0.failure == nil && $0.lateness == .zero })
        #expect(player.isOver)
    }

    @Test func `the lateness of one event does not delay the next`() {
        let entries = (1...100).map {
            Self.entry(at: .seconds($0), .carrier(interface: "wifi0", isUp: $0.isMultiple(of: 2)))
        }
        var player = TimelinePlayer(Self.scenario(entries), seed: 1)
        var stage = VirtualStage(effort: .milliseconds(2))
        let events = stage.play(&player, wakingLateBy: .milliseconds(1))
        #expect(events.count == 100)
        #expect(events.allSatisfy { $0.lateness == .milliseconds(3) })
        #expect(events.last?.plannedTime == .seconds(100))
    }

    @Test func `what was missed is done in order`() {
        var player = TimelinePlayer(
            Self.scenario([
                Self.entry(at: .seconds(1), .carrier(interface: "wifi0", isUp: false)),
                Self.entry(at: .seconds(2), .carrier(interface: "wifi0", isUp: true)),
            ]), seed: 1)
        var stage = VirtualStage(now: .seconds(10))
        let turn = player.turn(on: &stage)
        #expect(stage.deeds == ["10000.0: wifi0 down", "10000.0: wifi0 up"])
        #expect(turn.events.map(\.lateness) == [.seconds(9), .seconds(8)])
        #expect(turn.next == nil)
    }

    @Test func `a ramp goes evenly in steps from what there is to what is wanted`() throws {
        var player = TimelinePlayer(
            Self.scenario([Self.entry(at: .seconds(1), Self.change(over: .seconds(2)))]), seed: 1)
        var stage = VirtualStage()
        let events = stage.play(&player)
        #expect(stage.conditions.count == 100)
        for (time, conditions) in stage.conditions {
            let wanted = 100 + 200 * ((time - .seconds(1)) / .seconds(2))
            #expect(abs(conditions.down.delay.milliseconds - wanted) < 0.01)
        }
        #expect(stage.conditions.last?.1 == Self.slow)
        #expect(
            events.map(\.text) == ["wifi0: test/Slow over 2 s", "wifi0: test/Slow reached"])
        #expect(events.map(\.time) == [.seconds(1), .seconds(3)])
    }

    @Test func `a ramp leaves out steps that it has missed, and says how late it was`() {
        var player = TimelinePlayer(
            Self.scenario([Self.entry(at: .zero, Self.change(over: .seconds(1)))]), seed: 1)
        var stage = VirtualStage()
        let events = stage.play(&player, wakingLateBy: .milliseconds(70))
        #expect(stage.conditions.count < 20)
        #expect(stage.conditions.last?.1 == Self.slow)
        #expect(events.last?.lateness == .milliseconds(70))
    }

    @Test func `a change that comes during a ramp ends it`() {
        let other = Profile(name: "Other", family: "test", conditions: .init())
        var player = TimelinePlayer(
            Self.scenario([
                Self.entry(at: .zero, Self.change(over: .seconds(10))),
                Self.entry(
                    at: .seconds(1),
                    .change(
                        interface: "wifi0", ConditionsChange(profile: other), over: .zero)),
            ]), seed: 1)
        var stage = VirtualStage()
        _ = stage.play(&player)
        #expect(stage.now == .seconds(1))
        #expect(stage.conditions.last?.1 == LinkConditions())
    }

    @Test func `what a stage cannot do is told, and the rest goes on`() {
        var player = TimelinePlayer(
            Self.scenario([
                Self.entry(at: .seconds(1), Self.change(over: .seconds(1))),
                Self.entry(at: .seconds(2), .carrier(interface: "wifi0", isUp: false)),
                Self.entry(at: .seconds(3), .carrier(interface: "cell0", isUp: false)),
            ]), seed: 1)
        var stage = VirtualStage(broken: ["wifi0"])
        let events = stage.play(&player)
        #expect(
            events.map(\.sentence) == [
                "wifi0: test/Slow over 1 s", "wifi0: test/Slow reached: it is broken",
                "wifi0: down: it is broken", "cell0: down",
            ])
    }

    @Test func `an endless timeline goes on, and ends with the command`() {
        var player = TimelinePlayer(
            Self.scenario(
                [
                    Self.entry(at: .seconds(1), .carrier(interface: "wifi0", isUp: false)),
                    Self.entry(at: .seconds(2), .carrier(interface: "wifi0", isUp: true)),
                ], repetition: .init(count: nil, period: .seconds(5))), seed: 1)
        var stage = VirtualStage()
        let events = stage.play(&player, until: .seconds(1000))
        #expect(events.count == 400)
        #expect(!player.isOver)
        _ = player.end(exitCodes: [nil: 0], on: &stage)
        #expect(player.isOver)
    }
}

import LinkTesting
import Scenarios
import Testing

@Suite("Relaunches of a scenario", .tags(.unit)) struct RelaunchTests {
    private typealias Player = TimelinePlayerTests

    private static func hasRelaunch(_ player: inout TimelinePlayer, at now: Duration) -> Bool {
        player.hasRelaunch(after: now)
    }

    @Test func `a run waits for a relaunch that is still to come`() {
        var player = TimelinePlayer(
            Player.scenario([
                Player.entry(at: .seconds(5), .app(.terminate)),
                Player.entry(at: .seconds(8), .app(.relaunch())),
            ]), seed: 1)
        var stage = VirtualStage()
        _ = stage.play(&player, until: .seconds(6))
        #expect(Self.hasRelaunch(&player, at: stage.now))
        _ = stage.play(&player)
        #expect(!Self.hasRelaunch(&player, at: stage.now))
    }

    @Test func `without end it waits no longer than to the end of a pass`() {
        var player = TimelinePlayer(
            Player.scenario(
                [
                    Player.entry(at: .seconds(2), .app(.relaunch())),
                    ScenarioEntry(
                        schedule: .every(.milliseconds(100), from: .zero, until: nil),
                        actions: [.prefer(interface: "wifi0")]),
                ], repetition: .init(count: nil, period: .seconds(10))), seed: 1)
        var stage = VirtualStage()
        #expect(Self.hasRelaunch(&player, at: .zero))
        _ = stage.play(&player, until: .seconds(3))
        #expect(!Self.hasRelaunch(&player, at: stage.now))
        _ = stage.play(&player, until: .seconds(11))
        #expect(Self.hasRelaunch(&player, at: stage.now))
    }

    @Test func `what has no relaunch is not searched for one without end`() {
        var player = TimelinePlayer(
            Player.scenario([
                ScenarioEntry(
                    schedule: .every(.seconds(1), from: .zero, until: nil),
                    actions: [.prefer(interface: "wifi0")])
            ]), seed: 1)
        #expect(!Self.hasRelaunch(&player, at: .zero))
    }
}

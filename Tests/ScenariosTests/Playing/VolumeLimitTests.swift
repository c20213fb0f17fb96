import LinkModel
import LinkTesting
import LinkUnits
import Scenarios
import Testing

@Suite("Limits by volume", .tags(.unit)) struct VolumeLimitTests {
    private static let limit = VolumeLimit(
        interface: "cell0", volume: ByteCount(bytes: 20_000_000))
    private static let down = ScenarioAction.carrier(interface: "cell0", isUp: false)

    private static func play(
        _ entries: [ScenarioEntry], rate: UInt64?
    ) -> (deeds: [String], events: [PlayedEvent], isOver: Bool) {
        var player = TimelinePlayer(TimelinePlayerTests.scenario(entries), seed: 1)
        var stage = VirtualStage()
        stage.rates["cell0"] = rate
        let events = stage.play(&player, until: .seconds(100))
        return (stage.deeds, events, player.isOver)
    }

    @Test func `an interface goes down when it has carried as much as it may from then on`() {
        let played = Self.play(
            [
                TimelinePlayerTests.entry(
                    at: .seconds(6), Self.down, .prefer(interface: "wifi0"), limit: Self.limit),
                TimelinePlayerTests.entry(at: .seconds(8), .execute("a")),
            ], rate: 1_000_000)
        #expect(
            played.deeds == ["8000.0: exec a", "26000.0: cell0 down", "26000.0: prefer wifi0"])
        #expect(played.events.allSatisfy { $0.failure == nil && $0.lateness == .zero })
        #expect(played.isOver)
    }

    @Test func `what is carried too slowly reaches no limit`() {
        let entry = TimelinePlayerTests.entry(at: .seconds(6), Self.down, limit: Self.limit)
        let played = Self.play([entry], rate: 100_000)
        #expect(played.deeds.isEmpty && !played.isOver)
    }

    @Test func `an interface that comes up has left its limit behind`() {
        let played = Self.play(
            [
                TimelinePlayerTests.entry(at: .seconds(6), Self.down, limit: Self.limit),
                TimelinePlayerTests.entry(
                    at: .seconds(20), .carrier(interface: "cell0", isUp: true)),
            ], rate: 1_000_000)
        #expect(played.deeds == ["20000.0: cell0 up"])
    }

    @Test func `each pass of the timeline counts anew`() {
        let scenario = TimelinePlayerTests.scenario(
            [
                TimelinePlayerTests.entry(
                    at: .seconds(6), .execute("a"), limit: Self.limit, line: 4)
            ], repetition: Scenario.Repetition(count: 2, period: .seconds(10)))
        var player = TimelinePlayer(scenario, seed: 1)
        var stage = VirtualStage()
        stage.rates["cell0"] = 1_000_000
        _ = stage.play(&player, until: .seconds(100))
        #expect(stage.deeds == ["36000.0: exec a"])
    }

    @Test func `where nobody counts, that is said`() {
        let entry = TimelinePlayerTests.entry(
            at: .seconds(6), Self.down, limit: Self.limit, line: 7)
        let played = Self.play([entry], rate: nil)
        #expect(played.deeds.isEmpty)
        #expect(played.events.map(\.failure) == ["nobody counts"])
    }
}

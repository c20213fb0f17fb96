import LinkTesting
import LinkUnits
import Scenarios
import Testing

@Suite("Expectations of a scenario", .tags(.unit)) struct ExpectationTests {
    private typealias Player = TimelinePlayerTests

    private static func player(_ expectation: Scenarios.Expectation) -> TimelinePlayer {
        TimelinePlayer(
            Player.scenario([Player.entry(at: .seconds(1), .expect(expectation), line: 27)]),
            seed: 1)
    }

    private static func command(within limit: Duration = .zero) -> Scenarios.Expectation {
        Scenarios.Expectation(command: .init(text: "test -f done", limit: limit))
    }

    @Test func `a path is judged at its time`() {
        let wanted = Scenarios.Expectation(
            status: .satisfied, isExpensive: true, isConstrained: false, interface: "cell0")
        var player = Self.player(wanted)
        var stage = VirtualStage()
        stage.seenPaths[nil] = SeenPath(status: .satisfied, isExpensive: true, interface: "cell0")
        #expect(stage.play(&player).map(\.failure) == [nil])

        player = Self.player(wanted)
        stage = VirtualStage()
        stage.seenPaths[nil] = SeenPath(status: .unsatisfied)
        let events = stage.play(&player)
        #expect(
            events.map(\.sentence) == [
                "expected status == satisfied; was unsatisfied, expected isExpensive == true; "
                    + "was false, expected interface == cell0; was none"
            ])
        #expect(events.map(\.lineNumber) == [27])
    }

    @Test func `a command without a limit has one attempt and as long as it takes`() {
        var player = Self.player(Self.command())
        var stage = VirtualStage(checks: [(7, .seconds(20))])
        let events = stage.play(&player)
        #expect(
            events.map(\.failure) == [
                "expected `test -f done` to succeed; it ended with exit code 7"
            ])
        #expect(events.map(\.time) == [.seconds(21)])
        #expect(events.map(\.lateness) == [.zero])
    }

    @Test func `a command with a limit is tried until it succeeds`() {
        var player = Self.player(Self.command(within: .seconds(5)))
        var stage = VirtualStage(
            checks: [(1, .milliseconds(50)), (1, .milliseconds(50)), (0, .milliseconds(50))])
        let events = stage.play(&player)
        #expect(events.map(\.failure) == [nil])
        #expect(stage.deeds.count == 3)
        #expect(events.map(\.time) == [.milliseconds(1350)])
    }

    @Test func `a command that does not end in time is ended and has failed`() {
        var player = Self.player(Self.command(within: .seconds(5)))
        var stage = VirtualStage(checks: [(0, .seconds(60))])
        let events = stage.play(&player)
        #expect(
            events.map(\.failure) == [
                "expected `test -f done` to succeed within 5 s; it did not end"
            ])
        #expect(stage.deeds == ["1000.0: check test -f done", "6000.0: abandon"])
    }

    @Test func `what must be so at the end is judged when the command has ended`() {
        var player = TimelinePlayer(
            Player.scenario([
                ScenarioEntry(
                    schedule: .atEnd, actions: [.expect(Scenarios.Expectation(exit: .code(0)))],
                    line: 9),
                ScenarioEntry(
                    schedule: .atEnd, actions: [.expect(Self.command())], line: 10),
                Player.entry(at: .seconds(60), .app(.suspend)),
            ]), seed: 1)
        var stage = VirtualStage(checks: [(0, .seconds(1))])
        #expect(stage.play(&player, until: .seconds(2)).isEmpty)
        let end = player.end(exitCodes: [nil: 3], on: &stage)
        #expect(end.events.map(\.failure) == ["expected exit == 0; was 3"])
        #expect(!player.isOver)
        #expect(stage.play(&player).map(\.failure) == [nil])
        #expect(player.isOver)
    }
}

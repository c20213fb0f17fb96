import LinkModel
import LinkUnits
import Scenarios

/// A scenario's timeline, played on the link of a proxy.
///
/// A proxy has one link where a scenario has interfaces. The link has the conditions of the interface
/// that an app would use: the most preferred that is there and has a carrier. Without any, nothing gets
/// through. What concerns an app has no meaning here and is told as a failed event.
final class LinkScenario {
    /// The scenario's name.
    let name: String
    private var player: TimelinePlayer
    private var stage: LinkStage
    private var applied: LinkStage.Interface?
    private let start: Duration

    /// Begins the timeline now.
    init(_ scenario: Scenario, seed: UInt64, at now: Duration) {
        name = scenario.name
        player = TimelinePlayer(scenario, seed: seed)
        stage = LinkStage(scenario)
        start = now
    }

    /// Whether nothing follows.
    var isOver: Bool { player.isOver }

    /// Does what is due; returns the conditions if they are others now, what failed, and when to call
    /// again: nil: never.
    func turn(
        at now: Duration
    ) -> (
        change: (conditions: LinkConditions, profile: String)?, failures: [String], next: Duration?
    ) {
        stage.now = now - start
        let turn = player.turn(on: &stage)
        let failures = turn.events.filter { $0.failure != nil }.map(\.sentence)
        let wanted = stage.used
        guard wanted != applied else { return (nil, failures, turn.next) }
        applied = wanted
        return ((wanted.conditions, wanted.profile), failures, turn.next)
    }
}

/// A link as the stage of a scenario.
private struct LinkStage: Stage {
    struct Interface: Hashable {
        var conditions: LinkConditions
        var profile: String
        var isPresent = true
        var hasCarrier = true
    }

    var now = Duration.zero
    private var interfaces: [String: Interface]
    /// The most preferred first.
    private var order: [String]

    init(_ scenario: Scenario) {
        order = scenario.interfaces.map(\.name)
        interfaces = Dictionary(
            scenario.interfaces.map {
                let interface = Interface(
                    conditions: $0.profile.conditions, profile: $0.conditionsName,
                    isPresent: $0.isPresent)
                return ($0.name, interface)
            }, uniquingKeysWith: { first, _ in first })
    }

    /// What an app would use; a black hole without a usable interface.
    var used: Interface {
        let usable = order.compactMap { interfaces[$0] }.first { $0.isPresent && $0.hasCarrier }
        return usable
            ?? Interface(conditions: LinkConditions(isBlackhole: true), profile: "no interface")
    }

    mutating func change(
        _ interface: String, to conditions: LinkConditions, profile: String
    ) throws(StageError) {
        interfaces[interface]?.conditions = conditions
        interfaces[interface]?.profile = profile
    }

    mutating func setCarrier(_ interface: String, isUp: Bool) throws(StageError) {
        interfaces[interface]?.hasCarrier = isUp
    }

    mutating func setPresence(_ interface: String, isPresent: Bool) throws(StageError) {
        interfaces[interface]?.isPresent = isPresent
    }

    mutating func override(_ interface: String, with settings: InterfaceOverride) throws(StageError)
    {}

    mutating func prefer(_ interface: String) throws(StageError) {
        order.removeAll { $0 == interface }
        order.insert(interface, at: 0)
    }

    mutating func carried(by interface: String) throws(StageError) -> ByteCount { throw Self.noApp }

    mutating func perform(_ action: AppAction, on device: String?) throws(StageError) {
        throw Self.noApp
    }

    mutating func execute(_ command: String, on device: String?) throws(StageError) {
        throw Self.noApp
    }

    mutating func path(on device: String?) throws(StageError) -> SeenPath { throw Self.noApp }

    mutating func startCheck(_ command: String, on device: String?) throws(StageError) -> Int32 {
        throw Self.noApp
    }

    mutating func exitCode(ofCheck check: Int32) -> Int32? { nil }

    mutating func abandonCheck(_ check: Int32) {}

    private static let noApp = StageError("a proxy has no app; run --scenario does")
}

import LinkModel
import LinkUnits
import ProfileCatalog
import Scenarios

/// A scenario as `list --scenarios --json` prints it. The keys are a promise: see
/// `Profiles/schema/list-scenarios.schema.json`.
struct ScenarioSummaryJSON: Encodable {
    let name: String
    let aliases: [String]
    let summary: String
    let interfaces: [String]
    let lengthMilliseconds: OrNull<Double>
    let file: OrNull<String>

    init(_ entry: ScenarioCatalog.Entry) {
        let scenario = entry.scenario
        name = scenario.name
        aliases = scenario.aliases
        summary = scenario.summary
        interfaces = scenario.interfaces.map(\.name)
        lengthMilliseconds = OrNull(scenario.length?.milliseconds)
        file = OrNull(entry.file)
    }
}

/// A scenario as `show --json` prints it. The keys are a promise: see
/// `Profiles/schema/show-scenario.schema.json`.
struct ScenarioJSON: Encodable {
    struct Interface: Encodable {
        let name: String
        let profile: String
        let kind: OrNull<String>
        let expensive: OrNull<Bool>
        let constrained: OrNull<Bool>
        let present: Bool
        let connections: String
        let down: DirectionJSON
        let up: DirectionJSON

        init(_ interface: ScenarioInterface) {
            let override = interface.initialOverride
            let conditions = interface.profile.conditions.withExplicitLoss
            name = interface.name
            profile = interface.conditionsName
            kind = OrNull(override.kind?.rawValue)
            expensive = OrNull(override.isExpensive)
            constrained = OrNull(override.isConstrained)
            present = interface.isPresent
            connections = interface.connections.rawValue
            down = DirectionJSON(conditions.down)
            up = DirectionJSON(conditions.up)
        }
    }

    struct Entry: Encodable {
        let when: String
        let forMilliseconds: OrNull<Double>
        let what: [String]
        let line: OrNull<Int>

        init(_ entry: ScenarioEntry) {
            when = entry.when
            forMilliseconds = OrNull(entry.length?.milliseconds)
            what = entry.actions.map(\.description)
            line = OrNull(entry.line)
        }
    }

    struct Event: Encodable {
        let timeMilliseconds: Double
        let what: String
        let line: OrNull<Int>

        init(_ event: TimelineEvent) {
            timeMilliseconds = event.time.milliseconds
            what = event.action.description
            line = OrNull(event.line)
        }
    }

    struct Repetition: Encodable {
        let everyMilliseconds: Double
        let times: OrNull<Int>

        init(_ repetition: Scenario.Repetition) {
            everyMilliseconds = repetition.period.milliseconds
            times = OrNull(repetition.count)
        }
    }

    /// How many events are written; a timeline without end has no last one.
    private static let eventLimit = 10_000

    let name: String
    let aliases: [String]
    let summary: String
    let advice: [String]
    let source: String
    let file: OrNull<String>
    let multipath: String
    let lengthMilliseconds: OrNull<Double>
    let repetition: OrNull<Repetition>
    let interfaces: [Interface]
    let timeline: [Entry]
    let events: OrNull<[Event]>

    private enum CodingKeys: String, CodingKey {
        case name, aliases, summary, advice, source, file, multipath, lengthMilliseconds
        case repetition = "repeat"
        case interfaces, timeline, events
    }

    init(_ entry: ScenarioCatalog.Entry, seed: UInt64?) {
        let scenario = entry.scenario
        name = scenario.name
        aliases = scenario.aliases
        summary = scenario.summary
        advice = scenario.advice
        source = scenario.source
        file = OrNull(entry.file)
        multipath = scenario.multipath.rawValue
        lengthMilliseconds = OrNull(scenario.length?.milliseconds)
        repetition = OrNull(scenario.repetition.map(Repetition.init))
        interfaces = scenario.interfaces.map(Interface.init)
        timeline = scenario.entries.map(Entry.init)
        events = OrNull(
            seed.map { seed in
                Timeline(scenario, seed: seed).prefix(Self.eventLimit).map(Event.init)
            })
    }
}

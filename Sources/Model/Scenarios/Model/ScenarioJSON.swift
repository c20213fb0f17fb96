import LinkModel
import LinkUnits

/// A scenario as `list --scenarios --json` prints it. The keys are a stable interface: see
/// `Profiles/schema/list-scenarios.schema.json`.
public struct ScenarioSummaryJSON: Encodable {
    let name: String
    let aliases: [String]
    let summary: String
    let interfaces: [String]
    let apps: [String]
    @OrNull var lengthMilliseconds: Double?
    @OrNull var file: String?

    /// Summarizes a scenario.
    ///
    /// - Parameter file: The file it was read from; nil if built in.
    public init(_ scenario: Scenario, file: String?) {
        name = scenario.name
        aliases = scenario.aliases
        summary = scenario.summary
        interfaces = scenario.interfaces.map(\.name)
        apps = scenario.apps.map(\.name)
        lengthMilliseconds = scenario.length?.milliseconds
        self.file = file
    }
}

/// A scenario as `show --json` prints it. The keys are a stable interface: see
/// `Profiles/schema/show-scenario.schema.json`.
public struct ScenarioJSON: Encodable {
    struct Interface: Encodable {
        let name: String
        let profile: String
        @OrNull var kind: String?
        @OrNull var expensive: Bool?
        @OrNull var constrained: Bool?
        let present: Bool
        let connections: String
        let down: DirectionJSON
        let up: DirectionJSON

        init(_ interface: ScenarioInterface) {
            let override = interface.initialOverride
            let conditions = interface.profile.conditions.withExplicitLoss
            name = interface.name
            profile = interface.conditionsName
            kind = override.kind?.rawValue
            expensive = override.cost.map { $0 == .expensive }
            constrained = override.lowData.map { $0 == .on }
            present = interface.isPresent
            connections = interface.connections.rawValue
            down = DirectionJSON(conditions.down)
            up = DirectionJSON(conditions.up)
        }
    }

    struct App: Encodable {
        let name: String
        let interfaces: [String]
        @OrNull var command: [String]?
        let running: Bool
        @OrNull var home: String?
        @OrNull var user: String?
        let environment: [String: String]
        @OrNull var arguments: [String]?

        init(_ app: ScenarioApp) {
            name = app.name
            interfaces = app.interfaces
            command = app.command
            running = app.isRunning
            home = app.launch.home
            user = app.launch.user
            environment = app.launch.environment
            arguments = app.launch.arguments
        }
    }

    struct Entry: Encodable {
        let when: String
        @OrNull var forMilliseconds: Double?
        let what: [String]
        @OrNull var line: Int?

        init(_ entry: ScenarioEntry) {
            when = entry.when
            forMilliseconds = entry.length?.milliseconds
            what = entry.descriptions
            line = entry.line
        }
    }

    struct Event: Encodable {
        let timeMilliseconds: Double
        let what: String
        @OrNull var line: Int?

        init(_ event: TimelineEvent) {
            timeMilliseconds = event.time.milliseconds
            what = event.description
            line = event.line
        }
    }

    struct Repetition: Encodable {
        let everyMilliseconds: Double
        @OrNull var times: Int?

        init(_ repetition: Scenario.Repetition) {
            everyMilliseconds = repetition.period.milliseconds
            times = repetition.count
        }
    }

    /// The most events printed; an endless timeline has no last one.
    private static let eventLimit = 10_000

    let name: String
    let aliases: [String]
    let summary: String
    let advice: [String]
    let source: String
    @OrNull var file: String?
    let multipath: String
    @OrNull var lengthMilliseconds: Double?
    @OrNull var repetition: Repetition?
    let interfaces: [Interface]
    let apps: [App]
    let timeline: [Entry]
    @OrNull var events: [Event]?

    private enum CodingKeys: String, CodingKey {
        case name, aliases, summary, advice, source, file, multipath, lengthMilliseconds
        case repetition = "repeat"
        case interfaces, apps, timeline, events
    }

    /// Describes a scenario.
    ///
    /// - Parameters:
    ///   - file: The file it was read from; nil if built in.
    ///   - seed: The seed for the times of the events; nil: no events.
    public init(_ scenario: Scenario, file: String?, seed: UInt64?) {
        name = scenario.name
        aliases = scenario.aliases
        summary = scenario.summary
        advice = scenario.advice
        source = scenario.source
        self.file = file
        multipath = scenario.multipath.rawValue
        lengthMilliseconds = scenario.length?.milliseconds
        repetition = scenario.repetition.map(Repetition.init)
        interfaces = scenario.interfaces.map(Interface.init)
        apps = scenario.apps.map(App.init)
        timeline = scenario.entries.map(Entry.init)
        events = seed.map { seed in
            Timeline(scenario, seed: seed).prefix(Self.eventLimit).map(Event.init)
        }
    }
}

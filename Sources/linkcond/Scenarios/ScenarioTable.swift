import Catalog
import LinkModel
import LinkUnits
import Recording
import Scenarios

/// Scenarios for people.
enum ScenarioTable {
    /// The most events shown of a finite and of an endless timeline.
    private static let (eventLimit, endlessLimit) = (200, 20)

    /// One line for each of `entries`.
    static func list(_ entries: [ScenarioCatalog.Entry]) -> Table {
        let hasFiles = entries.contains { $0.file != nil }
        var table = Table(
            [
                "NAME", .right("LENGTH"), "INTERFACES", "SUMMARY",
            ] + (hasFiles ? ["FILE"] : []))
        for entry in entries {
            let scenario = entry.scenario
            table.add(
                [
                    scenario.name + (scenario.aliases.first.map { " (\($0))" } ?? ""),
                    length(of: scenario),
                    scenario.interfaces.map(\.name).joined(separator: ", "), scenario.summary,
                ] + (hasFiles ? [entry.file ?? ""] : []))
        }
        return table
    }

    /// Everything about `entry`; with a seed, also the resulting times.
    static func show(_ entry: ScenarioCatalog.Entry, seed: UInt64?, isStyled: Bool) -> String {
        let scenario = entry.scenario
        var text = (isStyled ? Style.bold(scenario.name) : scenario.name) + " (scenario)\n"
        if !scenario.summary.isEmpty { text += scenario.summary + "\n" }
        text += "\n" + interfaces(scenario).text(isStyled: isStyled)
        if !scenario.apps.isEmpty { text += "\n" + devices(scenario).text(isStyled: isStyled) }
        let (timeline, rest) = seed.map { events(scenario, seed: $0) } ?? (plan(scenario), nil)
        if !timeline.rows.isEmpty { text += "\n" + timeline.text(isStyled: isStyled) }
        if let rest { text += rest + "\n" }
        let facts = facts(of: entry)
        if !facts.isEmpty { text += "\n" }
        for (key, value) in facts { text += ProfileTable.fact(key, value) }
        guard !scenario.advice.isEmpty else { return text }
        text += "\nWhat an app should do:\n"
        for sentence in scenario.advice {
            let lines = WrappedText.lines(of: sentence.printable, width: 76)
            text += "- " + lines.joined(separator: "\n  ") + "\n"
        }
        return text
    }

    private static func interfaces(_ scenario: Scenario) -> Table {
        var table = Table(["INTERFACE", "PROFILE", "WHAT APPS SEE"])
        for interface in scenario.interfaces {
            let presence = interface.isPresent ? [] : ["not there at first"]
            let connections = interface.connections == .end ? [] : ["connections outlive it"]
            let facts = [interface.initialOverride.description] + presence + connections
            table.add([
                interface.name, interface.conditionsName, facts.joined(separator: ", "),
            ])
        }
        return table
    }

    private static func devices(_ scenario: Scenario) -> Table {
        var table = Table(["DEVICE", "INTERFACES", "APP"])
        for app in scenario.apps {
            let command = app.command.map { $0.joined(separator: " ").printable }
            let facts = [app.launch.description, app.isRunning ? "" : "does not run at first"]
            table.add([
                app.name, app.interfaces.joined(separator: ", "),
                ([command ?? "the command"] + facts.filter { !$0.isEmpty }).joined(separator: ", "),
            ])
        }
        return table
    }

    /// The timeline as in the file, sorted by time.
    private static func plan(_ scenario: Scenario) -> Table {
        var table = Table(["WHEN", .right("FOR"), "WHAT"])
        let entries = scenario.entries.enumerated().sorted {
            ($0.element.schedule.start, $0.offset) < ($1.element.schedule.start, $1.offset)
        }
        for (_, entry) in entries {
            table.add([
                entry.when, entry.length?.unitText ?? "",
                entry.descriptions.joined(separator: "; "),
            ])
        }
        return table
    }

    /// The events with their times, and a note if these are not all.
    private static func events(_ scenario: Scenario, seed: UInt64) -> (Table, String?) {
        var table = Table([.right("TIME"), "WHAT"])
        var timeline = Timeline(scenario, seed: seed)
        let limit = scenario.length == nil ? endlessLimit : eventLimit
        while table.rows.count < limit, let event = timeline.next() {
            table.add([event.time.secondsText, event.description])
        }
        let hasMore = timeline.next() != nil
        for end in timeline.endExpectations { table.add(["end", end.description]) }
        return (table, hasMore ? "... and so on; show --format json has more of them" : nil)
    }

    private static func facts(of entry: ScenarioCatalog.Entry) -> [(key: String, value: String)] {
        let scenario = entry.scenario
        var facts: [(String, String)] = []
        if let repetition = scenario.repetition {
            let times = repetition.count.map { "\($0) times" } ?? "until the command ends"
            facts.append(("repeat", "every \(repetition.period.unitText), \(times)"))
        }
        if scenario.multipath != .off { facts.append(("multipath", scenario.multipath.rawValue)) }
        if !scenario.aliases.isEmpty {
            facts.append(("aliases", scenario.aliases.joined(separator: ", ")))
        }
        if let file = entry.file { facts.append(("file", file.printable)) }
        if !scenario.source.isEmpty { facts.append(("source", scenario.source)) }
        return facts
    }

    private static func length(of scenario: Scenario) -> String {
        guard let length = scenario.length else { return "endless" }
        return length == .zero ? "-" : length.unitText
    }
}

extension ScenarioEntry.Schedule {
    /// The time of its first occurrence, for sorting.
    fileprivate var start: Duration {
        switch self {
        case .once(let time, _): time
        case .every(_, let from, _): from
        case .atEnd: .seconds(Int64.max)
        }
    }
}

extension Duration {
    /// Rounded to a millisecond, the precision of playing: `12.500 s`.
    fileprivate var secondsText: String {
        DecimalText.text((wholeNanoseconds + 500_000) / 1_000_000, decimals: 3) + " s"
    }
}

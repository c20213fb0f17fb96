import LinkModel
import LinkUnits
import ProfileFormat

/// The output of tcconfig's `tcshow`: rules by interface, direction and filter.
///
/// The rules of an interface become one profile if each direction has at most one; otherwise each
/// filter becomes a profile.
enum TCConfigJSON {
    private struct Rule {
        let filter: String
        let direction: WritableKeyPath<LinkConditions, DirectionConditions>
        let table: ForeignTable
    }

    static func drafts(_ value: ForeignValue, file: ForeignFile) throws(ProfileError) -> [Entry] {
        var root = try ForeignTable(value, file: file.name)
        var entries: [Entry] = []
        for device in root.keys {
            guard let table = try root.table(device) else { continue }
            let rules = try rules(of: table)
            let filters = Set(rules.map(\.filter)).sorted()
            let perDirection = Dictionary(grouping: rules, by: \.direction).values.map(\.count)
            guard perDirection.contains(where: { $0 > 1 }) else {
                if !rules.isEmpty { entries.append(Entry(try draft(device, rules), path: device)) }
                continue
            }
            for filter in filters {
                let chosen = rules.filter { $0.filter == filter }
                entries.append(
                    Entry(
                        try draft("\(device) \(selectors(filter))", chosen),
                        path: chosen.first?.table.path ?? device))
            }
        }
        guard !entries.isEmpty else {
            throw ProfileError(
                file: file.name, explanation: "has no rule in it; tcset had set nothing")
        }
        return entries
    }

    private static func rules(of device: ForeignTable) throws(ProfileError) -> [Rule] {
        var device = device
        var rules: [Rule] = []
        for (key, direction) in [
            ("incoming", \LinkConditions.down), ("outgoing", \LinkConditions.up),
        ] {
            guard var filters = try device.table(key) else { continue }
            for filter in filters.keys {
                guard let table = try filters.table(filter) else { continue }
                guard !table.keys.isEmpty else { continue }
                rules.append(Rule(filter: filter, direction: direction, table: table))
            }
        }
        if let key = device.keys.first {
            throw device.error(key, "is neither incoming nor outgoing")
        }
        return rules
    }

    private static func draft(_ name: String, _ rules: [Rule]) throws(ProfileError) -> Draft {
        var draft = Draft(name: name)
        for rule in rules {
            var table = rule.table
            draft.conditions[keyPath: rule.direction] = try direction(&table, &draft)
            draft.leaveOut(restOf: table)
            let direction = rule.direction == \LinkConditions.down ? "incoming" : "outgoing"
            let selectors = selectors(rule.filter)
            if rule.filter.contains("protocol=ip"), !rule.filter.contains("protocol=ipv6") {
                draft.explain("tcconfig conditions \(direction) IPv4 only; here IPv6 as well.")
            }
            if !selectors.isEmpty {
                draft.leaveOut(
                    "\(direction) \(selectors), which chooses traffic; a profile does not, choose "
                        + "it when you apply the profile.")
            }
        }
        return draft
    }

    /// The parts of a filter that exclude traffic.
    private static func selectors(_ filter: String) -> String {
        let parts = filter.split(separator: ",").map { $0.drop { $0 == " " } }
        return parts.filter { $0 != "protocol=ip" }.joined(separator: ", ")
    }

    private static func direction(
        _ rule: inout ForeignTable, _ draft: inout Draft
    ) throws(ProfileError) -> DirectionConditions {
        var conditions = DirectionConditions()
        _ = rule.take("filter_id")
        conditions.bandwidth = try TCConfigQuantity.rate("rate", &rule)
        conditions.delay = try TCConfigQuantity.time("delay", &rule) ?? .zero
        let spread = try TCConfigQuantity.time("delay-distro", &rule) ?? .zero
        if spread > .zero {
            conditions.jitter = Jitter(amount: spread, distribution: try distribution(&rule))
            draft.explainOrder(of: "delay-distro", in: "tcconfig")
        }
        conditions.loss = .random(try TCConfigQuantity.share("loss", &rule))
        conditions.duplicate = try TCConfigQuantity.share("duplicate", &rule)
        conditions.corrupt = try TCConfigQuantity.share("corrupt", &rule)
        // tcshow prints "reorder"; the option is "reordering".
        let key = rule.has("reordering") ? "reordering" : "reorder"
        let reordered = try TCConfigQuantity.share(key, &rule)
        if reordered > .zero { conditions.reorder = Reordering(mean: reordered) }
        if let limit = try rule.text("limit") {
            draft.leaveOut(
                "\(rule.fieldPath("limit")) \(limit), which counts the packets on the delay line "
                    + "as well; linkcond drops none of those, and queue is a field of its own.")
        }
        return conditions
    }

    private static func distribution(
        _ rule: inout ForeignTable
    ) throws(ProfileError) -> Jitter.Distribution {
        guard let text = try rule.text("delay-distribution") else { return .normal }
        guard let distribution = Jitter.Distribution(rawValue: text) else {
            throw rule.error(
                "delay-distribution", "\"\(text)\" is not one of normal, pareto, paretonormal")
        }
        return distribution
    }
}

/// Numbers with tcconfig's units: `250Kbps` (kilobits), `10.0ms`, `0.01%`.
enum TCConfigQuantity {
    private static let prefixes: [(String, Double)] = [
        ("", 1), ("k", 1e3), ("m", 1e6), ("g", 1e9), ("t", 1e12),
        ("ki", 1024), ("mi", 1_048_576), ("gi", 1_073_741_824), ("ti", 1_099_511_627_776),
    ]
    private static let times: [(names: [String], milliseconds: Double)] = [
        (["us", "usec", "usecs", "microsecond", "microseconds"], 0.001),
        (["", "ms", "msec", "msecs", "millisecond", "milliseconds"], 1),
        (["s", "sec", "secs", "second", "seconds"], 1000),
        (["m", "min", "mins", "minute", "minutes"], 60_000),
        (["h", "hour", "hours"], 3_600_000),
    ]

    static func rate(
        _ key: String, _ rule: inout ForeignTable
    ) throws(ProfileError) -> Bandwidth? {
        guard let (number, unit, text) = try quantity(key, &rule) else { return nil }
        let endings = ["bps", "bits/s", "bit/s", "bits/sec", "bit/sec", "bit", ""]
        for ending in endings where unit.hasSuffix(ending) {
            let prefix = unit.dropLast(ending.count)
            guard let factor = prefixes.first(where: { $0.0 == prefix })?.1 else { continue }
            guard number > 0 else { return nil }
            guard let rate = Bandwidth(number * factor, times: .bitsPerSecond(1)) else { break }
            return rate
        }
        throw rule.error(key, "\"\(text)\" is not a rate, such as 250Kbps")
    }

    static func time(_ key: String, _ rule: inout ForeignTable) throws(ProfileError) -> Duration? {
        guard let (number, unit, text) = try quantity(key, &rule) else { return nil }
        guard let factor = times.first(where: { $0.names.contains(unit) })?.milliseconds,
            let duration = Duration(milliseconds: number * factor)
        else { throw rule.error(key, "\"\(text)\" is not a delay, such as 10.0ms") }
        return duration
    }

    static func share(_ key: String, _ rule: inout ForeignTable) throws(ProfileError) -> Ratio {
        guard let (number, unit, text) = try quantity(key, &rule) else { return .zero }
        guard unit == "%" || unit.isEmpty, let ratio = Ratio(number / 100) else {
            throw rule.error(key, "\"\(text)\" is not a percentage from 0 to 100, such as 0.1%")
        }
        return ratio
    }

    private static func quantity(
        _ key: String, _ rule: inout ForeignTable
    ) throws(ProfileError) -> (number: Double, unit: String, text: String)? {
        guard let text = try rule.text(key) else { return nil }
        guard text.first != "-" else {
            throw rule.error(key, "\"\(text)\" is negative; no link has that")
        }
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits) else {
            throw rule.error(key, "\"\(text)\" does not begin with a number")
        }
        rule.noteCondition()
        let unit = text.dropFirst(digits.count).filter { $0 != " " }.lowercased()
        return (number, unit, text)
    }
}

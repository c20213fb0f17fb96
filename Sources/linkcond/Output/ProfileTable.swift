import Catalog
import LinkModel
import LinkUnits
import Verification

/// Profiles for people.
enum ProfileTable {
    /// One line for each of `entries`.
    static func list(_ entries: [ProfileCatalog.Entry]) -> Table {
        // Users without their own files do not need an empty column.
        let hasFiles = entries.contains { $0.file != nil }
        var table = Table(
            [
                "NAME", .right("DOWN"), .right("UP"), .right("DELAY"), .right("LOSS"), "FAMILY",
            ] + (hasFiles ? ["FILE"] : []))
        for entry in entries {
            let conditions = entry.profile.conditions.withExplicitLoss
            table.add(
                [
                    name(of: entry.profile), rate(conditions.down), rate(conditions.up),
                    delay(of: conditions), both(conditions) { ratio($0.loss.mean) },
                    entry.profile.family,
                ] + (hasFiles ? [entry.file ?? ""] : []))
        }
        return table
    }

    /// The name, followed by a shorter alias.
    private static func name(of profile: Profile) -> String {
        profile.name + (profile.aliases.first.map { " (\($0))" } ?? "")
    }

    /// Everything about `entry`.
    static func show(_ entry: ProfileCatalog.Entry, isStyled: Bool) -> String {
        let profile = entry.profile
        let title = isStyled ? Style.bold(profile.name) : profile.name
        var text = "\(title) (\(profile.id))\n"
        if !profile.summary.isEmpty { text += profile.summary + "\n" }
        text += "\n" + directions(profile.conditions).text(isStyled: isStyled) + "\n"
        for (key, value) in facts(of: entry) { text += fact(key, value) }
        return text
    }

    /// A label and its value, wrapped to as many lines as needed.
    static func fact(_ key: String, _ value: String) -> String {
        WrappedText.labelled(key, value, labelWidth: labelWidth)
    }

    private static let labelWidth = 12

    private static func directions(_ conditions: LinkConditions) -> Table {
        var table = Table(["", "DOWN", "UP"])
        let conditions = conditions.withExplicitLoss
        for (name, isAlwaysShown, text) in DirectionText.rows {
            let cells = [text(conditions.down), text(conditions.up)]
            guard isAlwaysShown || cells != ["-", "-"] else { continue }
            // The width of the labels below, so that the values line up with theirs.
            table.add([WrappedText.padded(name, to: labelWidth - 2)] + cells)
        }
        return table
    }

    private static func facts(of entry: ProfileCatalog.Entry) -> [(key: String, value: String)] {
        let profile = entry.profile
        var facts = [("round trip", profile.conditions.roundTripTime.unitText)]
        if let mean = LinkDelay.roundTrip(of: profile.conditions) {
            facts[0].1 += ", on average \(mean): jitter takes no delay below zero"
        }
        if let delay = profile.conditions.dnsDelay {
            facts.append(("dns", "\(delay.unitText) later"))
        }
        if let middle = profile.conditions.middle { facts.append(("middle", middle.text)) }
        facts.append(("interface", profile.interface.rawValue))
        if profile.isExpensive { facts.append(("expensive", "yes")) }
        if profile.isConstrained { facts.append(("constrained", "yes")) }
        if !profile.aliases.isEmpty {
            facts.append(("aliases", profile.aliases.joined(separator: ", ")))
        }
        if let file = entry.file { facts.append(("file", file.printable)) }
        if !profile.source.isEmpty { facts.append(("source", profile.source)) }
        return facts
    }

    private static func rate(_ conditions: DirectionConditions) -> String {
        if conditions.trace != nil { return "trace" }
        return conditions.bandwidth?.description ?? "unlimited"
    }

    private static func delay(of conditions: LinkConditions) -> String {
        let delay = both(conditions) { $0.delay == .zero ? "-" : $0.delay.unitText }
        guard let dnsDelay = conditions.dnsDelay else { return delay }
        return (delay == "-" ? "" : delay + ", ") + "DNS " + dnsDelay.unitText
    }

    private static func ratio(_ ratio: Ratio) -> String {
        ratio == .zero ? "-" : ratio.description
    }

    /// One text if both directions are equal, else `down / up`.
    private static func both(
        _ conditions: LinkConditions, _ text: (DirectionConditions) -> String
    ) -> String {
        let (down, up) = (text(conditions.down), text(conditions.up))
        return down == up ? down : "\(down) / \(up)"
    }
}

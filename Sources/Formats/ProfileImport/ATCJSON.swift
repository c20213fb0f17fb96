import LinkModel
import LinkUnits
import ProfileFormat

/// Augmented Traffic Control: stored profiles (`name` and `content`), lists of them, or bare
/// settings (`up` and `down`). Rates are in kbit/s, one-way delays in milliseconds, shares in per
/// cent.
enum ATCJSON {
    static func drafts(_ value: ForeignValue, file: ForeignFile) throws(ProfileError) -> [Entry] {
        guard case .list(let list) = value else {
            let root = try ForeignTable(value, file: file.name)
            return [Entry(try draft(root, file), path: "")]
        }
        var entries: [Entry] = []
        for (index, element) in list.enumerated() {
            let table = try ForeignTable(element, file: file.name, path: "[\(index)]")
            entries.append(Entry(try draft(table, file), path: table.path))
        }
        return entries
    }

    private static func draft(
        _ table: ForeignTable, _ file: ForeignFile
    ) throws(ProfileError) -> Draft {
        var table = table
        var draft = Draft(name: try table.text("name") ?? file.stem)
        _ = table.take("id")
        if var content = try table.has("content") ? table.table("content") : table.table("settings")
        {
            try read(&content, into: &draft)
            draft.leaveOut(restOf: content)
        } else {
            try read(&table, into: &draft)
        }
        draft.leaveOut(restOf: table)
        return draft
    }

    private static func read(
        _ settings: inout ForeignTable, into draft: inout Draft
    ) throws(ProfileError) {
        for (key, direction) in [("down", \LinkConditions.down), ("up", \LinkConditions.up)] {
            guard var shaping = try settings.table(key) else {
                throw settings.error(key, "is missing; ATC has settings for down and up")
            }
            draft.conditions[keyPath: direction] = try self.direction(&shaping, &draft)
            draft.leaveOut(restOf: shaping)
        }
    }

    private static func direction(
        _ shaping: inout ForeignTable, _ draft: inout Draft
    ) throws(ProfileError) -> DirectionConditions {
        var conditions = DirectionConditions(
            bandwidth: try shaping.bandwidth("rate", in: .kilobitsPerSecond(1)))
        if var delay = try shaping.table("delay") {
            conditions.delay = try delay.milliseconds("delay") ?? .zero
            let jitter = try delay.milliseconds("jitter") ?? .zero
            if jitter > .zero {
                // ATC names no distribution; netem's default is uniform.
                conditions.jitter = Jitter(amount: jitter, distribution: .uniform)
                draft.explainOrder(of: "\(delay.path).jitter", in: "ATC")
            }
            try finish(&delay, &draft)
        }
        conditions.loss = .random(try share("loss", &shaping, &draft))
        conditions.corrupt = try share("corruption", &shaping, &draft)
        if var reorder = try shaping.table("reorder") {
            let mean = try reorder.percentage("percentage") ?? .zero
            let gap = try reorder.amount("gap") ?? 0
            guard gap <= 1_000_000 else { throw reorder.error("gap", "is too large") }
            // netem treats a gap of 0 as 1 if there is a share.
            if mean > .zero {
                conditions.reorder = Reordering(mean: mean, gap: max(1, Int(gap)))
            }
            try finish(&reorder, &draft)
        }
        if let options = shaping.take("iptables_options") {
            if case .list(let list) = options, list.isEmpty { return conditions }
            draft.leaveOut(
                "\(shaping.fieldPath("iptables_options")), which chooses traffic; a profile does "
                    + "not.")
        }
        return conditions
    }

    private static func share(
        _ key: String, _ shaping: inout ForeignTable, _ draft: inout Draft
    ) throws(ProfileError) -> Ratio {
        guard var table = try shaping.table(key) else { return .zero }
        let share = try table.percentage("percentage") ?? .zero
        try finish(&table, &draft)
        return share
    }

    private static func finish(
        _ table: inout ForeignTable, _ draft: inout Draft
    ) throws(ProfileError) {
        let correlation = try table.amount("correlation") ?? 0
        if correlation > 0 {
            draft.leaveOut(
                "\(table.path).correlation \(correlation.shortText); a profile has losses in a row "
                    + "instead, as in loss: { mean: 2%, burst: 8 }.")
        }
        draft.leaveOut(restOf: table)
    }
}

extension Draft {
    /// netem sends packets in order of their delays, so a short delay overtakes a long one.
    mutating func explainOrder(of field: String, in tool: String) {
        explain("With \(field), \(tool) also reorders packets; linkcond keeps their order.")
    }
}

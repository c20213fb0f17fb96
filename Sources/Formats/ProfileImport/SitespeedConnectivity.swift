import LinkModel
import LinkUnits
import ProfileFormat

/// The link in the configurations and results of sitespeed.io and browsertime: `connectivity` with
/// a named `profile`, or with the profile `custom` and `downstreamKbps`, `upstreamKbps` and
/// `latency` (in recent versions also `down`, `up` and `rtt`). These tools pass the numbers to
/// throttle, which delays each direction by half the latency.
enum SitespeedConnectivity {
    /// The location of the table: in sitespeed.io's configuration, in browsertime's, in results.
    private static let places = [["browsertime"], [], ["info"], ["options"]]

    /// The profiles that browsertime names, with the numbers that it passes to throttle.
    private static let profiles: [String: (down: UInt64, up: UInt64, rtt: Int64)] = [
        "3g": (1600, 768, 150), "3gfast": (1600, 768, 75), "3gslow": (400, 400, 200),
        "3gem": (400, 400, 200), "2g": (280, 256, 400), "cable": (5000, 1000, 14),
        "dsl": (1500, 384, 25), "4g": (9000, 9000, 85), "lte": (12_000, 12_000, 35),
        "edge": (240, 200, 420), "dial": (49, 30, 60), "fois": (20_000, 5000, 2),
    ]

    /// Whether a value contains the table.
    static func isIn(_ value: ForeignValue) -> Bool {
        // Results are a list of tables.
        if case .list(let list) = value { return list.first.map(isIn) ?? false }
        return places.contains { connectivity(in: value, at: $0) != nil }
    }

    /// The profile in `value`; nil if there is no such table.
    static func draft(_ value: ForeignValue, file: ForeignFile) throws(ProfileError) -> Entry? {
        if case .list(let list) = value {
            guard let first = list.first else { return nil }
            return try draft(first, file: file)
        }
        for place in places {
            guard let connectivity = connectivity(in: value, at: place) else { continue }
            let path = (place + ["connectivity"]).joined(separator: ".")
            // The option -c gives only the name of a profile.
            if case .text(let name) = connectivity {
                let table = ForeignTable(
                    values: ["profile": .text(name)], lines: [:], file: file.name, path: path)
                return Entry(try draft(table, file), path: path)
            }
            let table = try ForeignTable(connectivity, file: file.name, path: path)
            return Entry(try draft(table, file), path: path)
        }
        return nil
    }

    private static func connectivity(
        in value: ForeignValue, at place: [String]
    ) -> ForeignValue? {
        var value = value
        for key in place + ["connectivity"] {
            guard case .table(let table) = value, let inner = table[key] else { return nil }
            value = inner
        }
        switch value {
        case .table, .text: return value
        default: return nil
        }
    }

    private static func draft(
        _ table: ForeignTable, _ file: ForeignFile
    ) throws(ProfileError) -> Draft {
        var table = table
        let profile = try table.text("profile")
        let alias = try table.text("alias")
        var draft = Draft(name: alias ?? (profile == "custom" ? nil : profile) ?? file.stem)
        guard profile != "native" else {
            throw table.error("profile", "is native, a link without conditions; nothing is there")
        }
        if let profile, let known = profiles[profile.lowercased()] {
            table.noteCondition()
            read(
                .kilobitsPerSecond(known.down), .kilobitsPerSecond(known.up),
                .milliseconds(known.rtt), into: &draft)
        } else if let profile, profile != "custom" {
            let names = profiles.keys.sorted().joined(separator: ", ")
            throw table.error("profile", "\"\(profile)\" is not one of custom, \(names)")
        } else {
            let unit = Bandwidth.kilobitsPerSecond(1)
            read(
                try table.first(["downstreamKbps", "down"]) { key, table throws(ProfileError) in
                    try table.bandwidth(key, in: unit)
                },
                try table.first(["upstreamKbps", "up"]) { key, table throws(ProfileError) in
                    try table.bandwidth(key, in: unit)
                },
                try table.first(["latency", "rtt"]) { key, table throws(ProfileError) in
                    try table.milliseconds(key)
                } ?? .zero, into: &draft)
        }
        try explain(&table, &draft)
        draft.leaveOut(restOf: table)
        return draft
    }

    private static func read(
        _ down: Bandwidth?, _ up: Bandwidth?, _ roundTrip: Duration, into draft: inout Draft
    ) {
        draft.conditions.down = .init(bandwidth: down, delay: roundTrip / 2)
        draft.conditions.up = .init(bandwidth: up, delay: roundTrip / 2)
        guard roundTrip > .zero else { return }
        draft.explain(
            "The latency of \(roundTrip.unitText) is a round trip: half of it in each direction, "
                + "as throttle has it.")
    }

    /// Explains the table's other fields.
    private static func explain(
        _ table: inout ForeignTable, _ draft: inout Draft
    ) throws(ProfileError) {
        if try table.text("engine") == "external" {
            draft.explain(
                "The engine is external: sitespeed itself does nothing to the link, and only "
                    + "names it so.")
        }
        if let variance = try table.number("variance"), variance > 0 {
            draft.leaveOut(
                "variance \(variance.shortText), by which each run has another round trip; jitter "
                    + "is within a run.")
        }
        if var throttle = try table.table("throttle") {
            if try throttle.flag("localhost") == true {
                draft.leaveOut(
                    "throttle.localhost; what a profile conditions is chosen when it is used: "
                        + "apply it to lo.")
            }
            draft.leaveOut(restOf: throttle)
        }
    }
}

extension ForeignTable {
    /// The value under the first of `keys` that is present; takes the others as well.
    fileprivate mutating func first<Value>(
        _ keys: [String], _ read: (String, inout ForeignTable) throws(ProfileError) -> Value?
    ) throws(ProfileError) -> Value? {
        var found: Value?
        for key in keys where has(key) {
            let value = try read(key, &self)
            if found == nil { found = value }
        }
        return found
    }
}

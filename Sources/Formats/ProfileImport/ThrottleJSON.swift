import LinkModel
import LinkUnits
import ProfileFormat

/// Link settings of sitespeed.io: the file of `throttle --config`, or what `SitespeedConnectivity`
/// reads. The former has rates in kbit/s, `rtt` in milliseconds, of which throttle delays each
/// direction by half, and loss in per cent in both directions.
enum ThrottleJSON {
    /// The built-in profiles whose `rtt` is half that of the WebPageTest profile they derive from.
    private static let halved: [(down: Double, up: Double, rtt: Double, profile: String)] = [
        (1600, 768, 150, "3G"), (1600, 768, 75, "3G-Fast"), (400, 400, 200, "3G-Slow"),
        (280, 256, 400, "2G"), (5000, 1000, 14, "Cable"), (1500, 384, 25, "DSL"),
        (9000, 9000, 85, "4G"), (12_000, 12_000, 35, "LTE"), (240, 200, 420, "Edge"),
        (49, 30, 60, "Dial"), (20_000, 5000, 2, "FIOS"),
    ]

    static func drafts(_ value: ForeignValue, file: ForeignFile) throws(ProfileError) -> [Entry] {
        if let entry = try SitespeedConnectivity.draft(value, file: file) { return [entry] }
        let root = try ForeignTable(value, file: file.name)
        guard !isSettings(root.keys) else { return [Entry(try draft(root, file.stem), path: "")] }
        // A file of several profiles by name, like throttle's own.
        var list = root
        var entries: [Entry] = []
        for key in root.keys {
            guard let table = try list.table(key) else { continue }
            entries.append(Entry(try draft(table, key), path: key))
        }
        return entries
    }

    /// Whether a table is a profile rather than a list of them.
    static func isSettings(_ keys: [String]) -> Bool {
        keys.contains { ["up", "down", "rtt", "packetLoss", "localhost"].contains($0) }
    }

    private static func draft(
        _ table: ForeignTable, _ name: String
    ) throws(ProfileError) -> Draft {
        var table = table
        var draft = Draft(name: name)
        var numbers = table
        let roundTrip = try table.milliseconds("rtt") ?? .zero
        let loss = LossModel.random(try table.percentage("packetLoss") ?? .zero)
        let down = try table.bandwidth("down", in: .kilobitsPerSecond(1))
        let up = try table.bandwidth("up", in: .kilobitsPerSecond(1))
        draft.conditions.down = .init(bandwidth: down, delay: roundTrip / 2, loss: loss)
        draft.conditions.up = .init(bandwidth: up, delay: roundTrip / 2, loss: loss)
        if roundTrip > .zero {
            draft.explain(
                "rtt \(roundTrip.unitText) is a round trip: half of it in each direction, as "
                    + "throttle has it.")
        }
        if (down == nil) != (up == nil), roundTrip > .zero || loss.mean > .zero {
            draft.explain(
                "throttle itself delays and drops only in the direction that has a rate; here "
                    + "both do, so that the round trip is the one that the file names.")
        }
        try explainHalf(&numbers, &draft)
        if try table.flag("localhost") == true {
            draft.leaveOut(
                "localhost; what a profile conditions is chosen when it is used: apply it to lo.")
        }
        draft.leaveOut(restOf: table)
        return draft
    }

    /// throttle's own profiles have WebPageTest's rates but half of its RTTs.
    private static func explainHalf(
        _ table: inout ForeignTable, _ draft: inout Draft
    ) throws(ProfileError) {
        let down = try table.number("down")
        let up = try table.number("up")
        let rtt = try table.number("rtt")
        guard let entry = halved.first(where: { $0.down == down && $0.up == up && $0.rtt == rtt })
        else { return }
        draft.explain(
            "These are the numbers of a ready-made profile of throttle, whose rtt is half of the "
                + "\((2 * entry.rtt).shortText) ms that WebPageTest means with these rates. The "
                + "link here is the one that throttle makes; WebPageTest's is "
                + "webpagetest/\(entry.profile).")
    }
}

import LinkModel
import LinkUnits
import ProfileFormat

/// Apple's Network Link Conditioner: its settings (`com.apple.network.prefPaneSimulate.plist`,
/// profiles by name under `Profiles`), a list of presets (profiles by name at the top), or one
/// profile. The keys next to `Profiles` concern Apple's panel: which profile is selected, and
/// whether it is on.
///
/// Rates are in kbit/s, or in Mbit/s if their unit field is not 0; one-way delays are in
/// milliseconds; the "loss ratio" is in per cent.
enum NLCPlist {
    static func drafts(_ value: ForeignValue, file: ForeignFile) throws(ProfileError) -> [Entry] {
        var tables: [ForeignTable] = []
        if case .list(let list) = value {
            for (index, element) in list.enumerated() {
                tables.append(try ForeignTable(element, file: file.name, path: "[\(index)]"))
            }
        } else {
            tables = try self.tables(try ForeignTable(value, file: file.name), file: file)
        }
        var entries: [Entry] = []
        for table in tables { entries.append(Entry(try draft(table, file), path: table.path)) }
        return entries
    }

    /// Whether a table is a profile rather than a list of them.
    static func isProfile(_ keys: [String]) -> Bool {
        keys.contains {
            $0.hasPrefix("Downlink") || $0.hasPrefix("Uplink") || $0 == "DNSDelayValue"
        }
    }

    private static func tables(
        _ root: ForeignTable, file: ForeignFile
    ) throws(ProfileError) -> [ForeignTable] {
        if isProfile(root.keys) { return [root] }
        var list = root
        if root.has("Profiles"), let profiles = try list.table("Profiles") { list = profiles }
        var tables: [ForeignTable] = []
        for key in list.keys {
            if let table = try list.table(key) { tables.append(table) }
        }
        guard !tables.isEmpty else {
            throw ProfileError(
                file: file.name, field: list.path, explanation: "has no profile in it")
        }
        return tables
    }

    private static func draft(
        _ table: ForeignTable, _ file: ForeignFile
    ) throws(ProfileError) -> Draft {
        var table = table
        let key = table.path.hasPrefix("Profiles.") ? table.path.dropFirst(9) : table.path[...]
        let isNamed = !key.isEmpty && !key.hasPrefix("[")
        let name = try table.text("name")
        var draft = Draft(name: isNamed ? String(key) : name ?? file.stem)
        draft.conditions.down = try direction("Downlink", &table, &draft)
        draft.conditions.up = try direction("Uplink", &table, &draft)
        let dnsDelay = try table.milliseconds("DNSDelayValue") ?? .zero
        draft.conditions.dnsDelay = dnsDelay > .zero ? dnsDelay : nil
        _ = try table.flag("Preset")
        try noteLimits(&table, &draft)
        draft.leaveOut(restOf: table)
        return draft
    }

    private static func direction(
        _ prefix: String, _ table: inout ForeignTable, _ draft: inout Draft
    ) throws(ProfileError) -> DirectionConditions {
        let key = "\(prefix)Bandwidth"
        let unit = try table.amount("\(key)Unit")
        if unit == nil, table.has(key) {
            draft.explain("\(key) has no unit; it was taken as kbit/s, as Apple's tool does.")
        }
        let lossKey = "\(prefix)PacketLossRatio"
        let loss = try table.percentage(lossKey) ?? .zero
        if loss > .zero, loss < .percent(1) {
            draft.explain("\(lossKey) is in per cent, whatever its name says: \(loss).")
        }
        return DirectionConditions(
            bandwidth: try table.bandwidth(
                key, in: unit ?? 0 == 0 ? .kilobitsPerSecond(1) : .megabitsPerSecond(1)),
            delay: try table.milliseconds("\(prefix)Delay") ?? .zero, loss: .random(loss))
    }

    /// Records the limits of Apple's profiles to certain traffic.
    private static func noteLimits(
        _ table: inout ForeignTable, _ draft: inout Draft
    ) throws(ProfileError) {
        let interface = try table.text("RunOnInterface") ?? "All"
        if interface.lowercased() != "all", !interface.isEmpty {
            draft.leaveOut(
                "RunOnInterface \(interface); a profile is for any interface, name it to apply.")
        }
        let family = try table.amount("ProtocolFamily") ?? 0
        if family != 0 {
            draft.leaveOut(
                "ProtocolFamily \(family.shortText); a profile conditions IPv4 and IPv6 alike.")
        }
        if try table.flag("ExcludeLoopback") == false {
            draft.leaveOut(
                "ExcludeLoopback 0; apply the profile to the interface lo as well for that.")
        }
    }
}

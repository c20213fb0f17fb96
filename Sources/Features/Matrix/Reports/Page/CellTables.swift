import LinkModel
import LinkUnits
import Recording

/// The counters of a cell's link, both directions side by side.
struct CountersTable {
    let statistics: CellStatistics?

    /// Empty without counters.
    var markup: Markup {
        guard let statistics else { return "" }
        let rows = Self.rows.compactMap { row -> Markup? in
            let values = [row.value(statistics.down), row.value(statistics.up)]
            // The kernel data plane does not have every counter.
            guard values.contains(where: { $0 != nil }) else { return nil }
            let columns = values.map { "<td class=\"number\">\($0 ?? "-")</td>" as Markup }
            return "<tr><th scope=\"row\">\(row.name)</th>\(columns)</tr>\n"
        }
        return """
            <section><h2>What passed over the link</h2><table class="plain counters"><thead><tr>\
            <td></td><th scope="col" class="number">Down</th><th scope="col" class="number">Up</th>\
            </tr></thead><tbody>
            \(rows)</tbody></table></section>

            """
    }

    private struct Row {
        var name: String
        var value: (DirectionCounters) -> String?
    }

    private static var rows: [Row] {
        [
            Row(name: "Packets delivered") { $0.packets.grouped },
            Row(name: "Bytes delivered") { $0.bytes.decimalText },
            Row(name: "Mean rate") { $0.bitsPerSecond.rateText },
            Row(name: "Dropped by the queue") { $0.dropped.grouped },
            Row(name: "Lost") { $0.lost.grouped },
            Row(name: "Delivered twice") { $0.engine?.duplicatedPackets.grouped },
            Row(name: "Delivered damaged") { $0.engine?.corruptedPackets.grouped },
            Row(name: "Longest queue") {
                ($0.engine?.longestQueuePackets).map { "\($0.grouped) packet\($0 == 1 ? "" : "s")" }
            },
            Row(name: "Later than meant, median") {
                ($0.engine?.lateness).map { "\($0.p50.roundedText) µs" }
            },
            Row(name: "Later than meant, 99 of 100") {
                ($0.engine?.lateness).map { "\($0.p99.roundedText) µs" }
            },
            Row(name: "Too late") { ($0.engine?.late).map(\.text) },
        ]
    }
}

extension LatePackets {
    /// How many, and when most of them: `130, 120 of them in second 4`.
    fileprivate var text: String {
        guard let worst, packets > 0 else { return "0 packets" }
        let moment =
            worst.packets == packets
            ? "in second \(worst.second)"
            : "\(worst.packets.grouped) of them in second \(worst.second)"
        return "\(packets.grouped) packet\(packets == 1 ? "" : "s"), \(moment)"
    }
}

extension UInt64 {
    /// The number with narrow spaces between groups of three digits, from five digits on.
    fileprivate var grouped: String {
        let digits = Array("\(self)")
        guard digits.count > 4 else { return String(digits) }
        return digits.enumerated().reduce(into: "") { text, digit in
            let isStart = (digits.count - digit.offset).isMultiple(of: 3) && digit.offset > 0
            text += isStart ? "\u{202F}\(digit.element)" : "\(digit.element)"
        }
    }
}

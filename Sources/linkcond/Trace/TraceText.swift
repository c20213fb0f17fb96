import LinkModel
import LinkUnits
import PacketEngine
import Recording

/// Delivery traces for people.
enum TraceText {
    private static let plotRows = 8
    private static let blocks = Array(" ▁▂▃▄▅▆▇█")

    /// One line.
    static func summary(of trace: DeliveryTrace) -> String {
        let count = trace.opportunityCount
        return "\(text(trace.period)), \(count) packet\(count == 1 ? "" : "s") of 1500 bytes, "
            + "\(trace.meanBandwidth.bitsPerSecond.rateText) on average"
    }

    /// The share of its windows without any delivery.
    static func silence(in statistics: TraceStatistics) -> String {
        "\((Double(statistics.silence.partsPerBillion) / 1e7).roundedText)%"
    }

    /// The output of `trace show`.
    ///
    /// - Parameter columns: The greatest width of the plot.
    static func page(_ trace: DeliveryTrace, name: String, columns: Int) -> String {
        let statistics = TraceStatistics(trace)
        let rates = TraceStatistics.percentiles.map { percentile in
            let label = percentile == 100 ? "at most" : "\(percentile)% up to"
            return "  \(padded(label, 10))  \(statistics.rate(percentile: percentile).rateText)"
        }
        let start = text(statistics.longestGapStart)
        return """
            \(name): \(summary(of: trace))

            \(plot(statistics.rates, length: trace.period, columns: columns))

            In stretches of \(statistics.window.unitText):
            \(rates.joined(separator: "\n"))
            Nothing passes in \(silence(in: statistics)) of them; for \(text(statistics.longestGap)) at most, from \(start) on.

            """
    }

    private static func text(_ duration: Duration) -> String {
        (duration / .seconds(1)).secondsText
    }

    /// The rate over time in blocks of eight heights, labelled with the highest rate.
    static func plot(_ rates: [UInt64], length: Duration, columns: Int) -> String {
        let widest = max(1, columns - 14)
        let count = min(widest, rates.count)
        let values = (0..<count).map { column in
            let range = column * rates.count / count..<(column + 1) * rates.count / count
            return rates[range].map { Double($0) }.average ?? 0
        }
        let top = PlotShape.niceTop(for: values.max() ?? 0)
        let heights = values.map { value in
            // Any value above zero is visible.
            let eighths = Int((value / top * Double(8 * plotRows)).rounded())
            return value > 0 ? max(1, eighths) : 0
        }
        var lines = (0..<plotRows).reversed().map { row in
            let label = row == plotRows - 1 ? UInt64(top).rateText : ""
            let cells = heights.map { blocks[min(max($0 - 8 * row, 0), 8)] }
            return padded(label) + " │" + trimmed(String(cells))
        }
        let end = text(length)
        let axis = String(repeating: "─", count: count)
        lines.append(padded("0") + " └" + axis)
        let gap = String(repeating: " ", count: max(1, count - end.count - 1))
        lines.append(padded("") + "  0" + gap + end)
        return lines.joined(separator: "\n")
    }

    private static func padded(_ label: String, _ width: Int = 12) -> String {
        String(repeating: " ", count: max(0, width - label.count)) + label
    }

    private static func trimmed(_ line: String) -> String {
        var line = Substring(line)
        while line.last == " " { line.removeLast() }
        return String(line)
    }
}

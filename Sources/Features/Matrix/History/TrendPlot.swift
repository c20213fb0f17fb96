import LinkUnits
import Recording

/// A small curve over the reports of a history, with its budget.
struct TrendPlot {
    /// In the order of the reports; nil where there is none.
    let values: [Double?]
    /// The budget in each report; empty without one.
    let limits: [Double?]
    let unit: Unit
    /// What a screen reader calls it.
    let name: String

    /// How values are written.
    enum Unit {
        case seconds, bytes, share, count

        func text(_ value: Double) -> String {
            switch self {
            case .seconds: value.secondsText
            case .bytes: ByteCount(bytes: UInt64(saturating: value)).decimalText
            case .count: value.shortText
            case .share: "\(Int((value * 100).rounded()))%"
            }
        }
    }

    /// The curve, and below it the newest value with the range of all.
    var markup: Markup {
        let known = values.compactMap(\.self)
        guard let last = known.last, let least = known.min(), let most = known.max() else {
            return "<span class=\"muted\">-</span>"
        }
        let top = unit == .share ? 1 : max(most, limits.compactMap(\.self).max() ?? 0, 1e-9) * 1.05
        let range = least == most ? "" : "\(unit.text(least)) to \(unit.text(most))"
        let budget = limits.last.flatMap(\.self).map { ", budget \(unit.text($0))" } ?? ""
        let label =
            "\(name) over \(known.count) reports: \(range), last \(unit.text(last))\(budget)"
        return """
            <svg class="trend" viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img" \
            aria-label="\(label)"><path class="budget" d="\(path(limits, top, isDotted: false))"/>\
            <path class="down" d="\(path(values, top, isDotted: true))"/></svg>\
            <span class="time">\(unit.text(last))</span> <span class="ratio">\(range)</span>
            """
    }

    /// Points joined by lines; those that stand alone are dots, if asked for, or short lines.
    private func path(_ values: [Double?], _ top: Double, isDotted: Bool) -> Markup {
        let width = 1000.0 / Double(max(1, values.count - 1))
        var text = ""
        var isJoined = false
        for (number, value) in values.enumerated() {
            guard let value else {
                isJoined = false
                continue
            }
            let x = values.count == 1 ? 500 : Int((Double(number) * width).rounded())
            let y = 1000 - Int((min(max(value / top, 0), 1) * 1000).rounded())
            text += isJoined ? "L\(x) \(y)" : "M\(x) \(y)h0"
            isJoined = true
        }
        if !isDotted, values.count == 1, let y = text.split(separator: " ").last?.dropLast(2) {
            text = "M0 \(y)H1000"
        }
        return Markup(trusted: text)
    }
}

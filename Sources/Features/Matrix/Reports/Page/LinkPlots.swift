import LinkUnits
import Recording

/// The link of a cell over time, as four plots.
struct LinkPlots {
    private let samples: [LinkSample]

    /// The approximate number of points of all curves in a document.
    private static let totalPoints = 60_000

    init(of cell: CellReport, cells: Int) {
        let limit = min(max(Self.totalPoints / max(1, cells), 60), 300)
        samples = cell.samples.reduced(to: limit)
    }

    /// A curve.
    private struct Series {
        var style: Markup
        var name: String
        var value: (LinkSample) -> Double?
    }

    /// How values are written.
    private enum Unit: String {
        case rate, milliseconds, packets

        func text(_ value: Double) -> String {
            switch self {
            case .rate: UInt64(saturating: value.rounded()).rateText
            case .milliseconds: "\(value.roundedText) ms"
            case .packets: value == 1 ? "1 packet" : "\(value.roundedText) packets"
            }
        }
    }

    /// Empty if there are too few samples.
    var markup: Markup {
        guard samples.count > 1 else { return "" }
        return """
            <section class="plots" aria-label="The link over time">
            <h2>The link over time</h2>
            <p class="legend"><span class="down">down, toward the app</span>\
            <span class="up">up, from the app</span></p>
            <div class="grid">
            \(plots)</div>
            </section>

            """
    }

    private var plots: [Markup] {
        [
            plot(
                "Throughput", .rate, isStepped: true,
                directions { Double($0.bitsPerSecond) }),
            plot(
                "Delay on the link", .milliseconds, isStepped: false,
                directions(\.delayMilliseconds)),
            plot(
                "Packets gone", .packets, isStepped: true,
                [
                    Series(style: "dropped", name: "dropped by the queue") {
                        Double($0.down.dropped) + Double($0.up.dropped)
                    },
                    Series(style: "lost", name: "lost") {
                        Double($0.down.lost) + Double($0.up.lost)
                    },
                ]),
            plot("Queue", .packets, isStepped: false, directions { Double($0.queuedPackets) }),
        ]
    }

    private func directions(_ value: @escaping (DirectionSample) -> Double?) -> [Series] {
        [
            Series(style: "down", name: "down") { value($0.down) },
            Series(style: "up", name: "up") { value($0.up) },
        ]
    }

    private func plot(
        _ title: String, _ unit: Unit, isStepped: Bool, _ series: [Series]
    ) -> Markup {
        let peaks = series.map { series in samples.compactMap(series.value).max() ?? 0 }
        let peak = peaks.max() ?? 0
        // Half a packet would make a strange grid line.
        let top = PlotShape.niceTop(for: unit == .packets ? max(peak, 2) : peak)
        let shape = PlotShape(samples: samples, top: top)
        let curves = series.map { series -> Markup in
            let path =
                isStepped ? shape.steps { series.value($0) ?? 0 } : shape.lines(series.value)
            return
                "<path class=\"\(series.style)\(" filled", if: isStepped)\" data-name=\"\(series.name)\" d=\"\(path)\"/>"
        }
        let told = zip(series, peaks).map { "\($0.name) \(unit.text($1))" }
            .joined(separator: ", ")
        let end = samples.last?.seconds ?? 0
        let label = "\(title) over \(end.secondsText); at most \(told)"
        // An empty plot says so: an empty box would look like a fault.
        let caption = peak > 0 ? "at most \(told)" : "none"
        return """
            <figure class="plot">
            <figcaption><b>\(title)</b> <span>\(caption)</span></figcaption>
            <div class="axes"><div class="y" aria-hidden="true"><span>\(unit.text(top))</span>\
            <span>\(unit.text(top / 2))</span><span>0</span></div>\
            <div class="box"><svg viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img" \
            aria-label="\(label)" data-top="\(top.exactText)" data-unit="\(unit.rawValue)" \
            data-end="\(end.exactText)"><path class="rule" d="M0 0H1000M0 500H1000M0 1000H1000"/>\
            \(curves)</svg></div>\
            <div class="x" aria-hidden="true"><span>0 s</span><span>\((end / 2).secondsText)</span>\
            <span>\(end.secondsText)</span></div></div>
            </figure>

            """
    }
}

public import LinkModel
import LinkUnits

/// A plot of a delivery trace: its rate over time.
public struct TracePlot: Sendable {
    private let trace: DeliveryTrace
    private let title: String

    /// More steps could not be told apart.
    private static let mostSteps = 600

    /// Draws a trace.
    public init(_ trace: DeliveryTrace, title: String) {
        self.trace = trace
        self.title = title
    }

    /// The drawing as a separate file.
    public var svg: String { drawing.svg }

    /// The drawing as a separate page.
    public var html: String { drawing.html }

    private var drawing: Drawing {
        let statistics = TraceStatistics(trace)
        let scale = TimeScale(end: Double(trace.periodMilliseconds) / 1000)
        let steps = Self.steps(statistics)
        let top = PlotShape.niceTop(for: steps.map(\.value).max() ?? 0)
        let mean = Double(trace.meanBandwidth.bitsPerSecond)
        let held = HeldValues(scale: scale, top: top)
        let path = held.line(steps.map { ($0.seconds, $0.value) })
        let rate = trace.meanBandwidth.bitsPerSecond.rateText
        let lane = CurveLane(
            name: "What passes",
            remark: "\(rate) on average, none for \(statistics.longestGap.seconds.secondsText)",
            top: UInt64(saturating: top).rateText, height: 170, scale: scale,
            curves: [
                "<path class=\"t-down t-filled\" d=\"\(path)V1000H0Z\"/>",
                "<path class=\"t-up t-limit\" d=\"\(held.line([(0, mean)]))\"/>",
            ]
        ).lane
        let legend = Lane.legend([
            (
                "<path class=\"t-down\" d=\"M0 7H18\"/>",
                "in each \(Self.window(of: statistics).secondsText)"
            ),
            ("<path class=\"t-up t-limit\" d=\"M0 7H18\"/>", "on average"),
        ])
        return Drawing(
            title: title, label: "A delivery trace of \(scale.end.secondsText), \(rate) on average",
            content: .stack([legend, lane, .axis(scale)]))
    }

    private static func width(of rates: [UInt64]) -> Int {
        max(1, (rates.count + mostSteps - 1) / mostSteps)
    }

    /// The length of a step, in seconds.
    private static func window(of statistics: TraceStatistics) -> Double {
        Double(width(of: statistics.rates)) * (statistics.window / .seconds(1))
    }

    /// Merges neighbouring rates so that there are not too many.
    private static func steps(
        _ statistics: TraceStatistics
    ) -> [(seconds: Double, value: Double)] {
        let rates = statistics.rates
        let width = width(of: rates)
        return stride(from: 0, to: rates.count, by: width).map { start in
            let values = rates[start..<min(start + width, rates.count)].map { Double($0) }
            return (Double(start) * (statistics.window / .seconds(1)), values.average ?? 0)
        }
    }
}

/// A plot of how often a command passes over the values of a quantity, with the place where half of
/// the runs fail.
public struct SuccessPlot: Sendable {
    /// The runs at a value.
    public struct Point: Sendable {
        /// Where the value lies, from 0 to 1.
        let place: Double
        /// The value, and what is known of it, for people.
        let text: String
        /// The share that passed, with its 95 % interval.
        let share: Double
        let interval: ClosedRange<Double>

        /// Describes runs at a value.
        public init(
            place: Double, text: String, share: Double, interval: ClosedRange<Double>
        ) {
            (self.place, self.text) = (place, text)
            (self.share, self.interval) = (share, interval)
        }
    }

    /// Where the command begins to fail: the place, and its interval.
    public struct Crossing: Sendable {
        let place: Double
        let interval: ClosedRange<Double>

        /// Describes the place.
        public init(place: Double, interval: ClosedRange<Double>) {
            (self.place, self.interval) = (place, interval)
        }
    }

    private let title: String
    private let quantity: String
    private let sentence: String
    private let points: [Point]
    private let crossing: Crossing?
    private let ticks: [(place: Double, text: String)]

    private static let plotHeight = 220

    /// Draws a search.
    ///
    /// - Parameters:
    ///   - points: In the order of their places.
    ///   - ticks: Values for the axis.
    public init(
        title: String, quantity: String, sentence: String, points: [Point], crossing: Crossing?,
        ticks: [(place: Double, text: String)]
    ) {
        (self.title, self.quantity, self.sentence) = (title, quantity, sentence)
        (self.points, self.crossing, self.ticks) = (points, crossing, ticks)
    }

    /// The drawing as a separate file.
    public var svg: String { drawing.svg }

    /// The drawing as a separate page.
    public var html: String { drawing.html }

    private var drawing: Drawing {
        Drawing(title: title, label: sentence, content: .stack([legend, plot, axis]))
    }

    private var legend: Lane {
        var entries: [(sign: Markup, text: String)] = [
            ("<circle class=\"t-dot\" cx=\"9\" cy=\"7\" r=\"4\"/>", "share that passed"),
            ("<path class=\"t-down\" d=\"M9 0V14M5 0H13M5 14H13\"/>", "its 95% interval"),
        ]
        if crossing != nil {
            entries.append(("<path class=\"t-up\" d=\"M9 0V14\"/>", "half fail"))
            entries.append(
                (
                    "<rect class=\"t-range\" width=\"18\" height=\"14\"/>",
                    "95%: half fail in here"
                ))
        }
        return Lane.legend(entries)
    }

    private var plot: Lane {
        var markup = Markup()
        if let crossing {
            let left = crossing.interval.lowerBound * 100
            let width = max(0.2, crossing.interval.upperBound * 100 - left)
            markup += """
                <rect class="t-range" x="\(left.shortText)%" width="\(width.shortText)%" y="0" \
                height="\(Self.plotHeight)"/>\
                <line class="t-half" x1="\((crossing.place * 100).shortText)%" \
                x2="\((crossing.place * 100).shortText)%" y1="0" y2="\(Self.plotHeight)"/>
                """
        }
        markup += """
            <svg width="100%" height="\(Self.plotHeight)" viewBox="0 0 1000 1000" \
            preserveAspectRatio="none" overflow="visible">\
            <path class="t-rule" d="M0 0H1000M0 500H1000"/><path class="t-base" d="M0 1000H1000"/>\
            <path class="t-down" d="\(curve)"/></svg>
            """
        for point in points { markup += mark(point) }
        markup += """
            <text class="t-muted t-halo" x="3" y="12">all pass</text>\
            <text class="t-muted t-halo" x="3" y="\(Self.plotHeight / 2 + 12)">half</text>\
            <text class="t-muted t-halo" x="3" y="\(Self.plotHeight - 4)">none</text>
            """
        // Room for marks at the edges.
        return Lane(
            height: Self.plotHeight + 18,
            markup: "<g transform=\"translate(0 6)\">\(markup)</g>")
    }

    private var curve: Markup {
        let steps = points.map { point in
            "\(Int((point.place * 1000).rounded())) \(1000 - Int((point.share * 1000).rounded()))"
        }
        return Markup(trusted: steps.isEmpty ? "" : "M" + steps.joined(separator: "L"))
    }

    private func mark(_ point: Point) -> Markup {
        let x = "\((point.place * 100).shortText)%"
        let height = Double(Self.plotHeight)
        let (low, high) = (
            height * (1 - point.interval.lowerBound), height * (1 - point.interval.upperBound)
        )
        return """
            <g><title>\(point.text)</title>\
            <line class="t-bar" x1="\(x)" x2="\(x)" y1="\(high.shortText)" y2="\(low.shortText)"/>\
            <circle class="t-dot" cx="\(x)" cy="\((height * (1 - point.share)).shortText)" r="4"/></g>
            """
    }

    private var axis: Lane {
        let texts = ticks.map { tick -> Markup in
            let anchor: Markup = tick.place < 0.04 ? "" : tick.place > 0.96 ? " t-end" : " t-middle"
            return """
                <text class="t-muted\(anchor)" x="\((tick.place * 100).shortText)%" y="13">\
                \(tick.text)</text>
                """
        }
        let lines = Self.lines(sentence).enumerated().map { number, line -> Markup in
            "<text class=\"t-muted t-middle\" x=\"50%\" y=\"\(52 + 16 * number)\">\(line)</text>"
        }
        return Lane(
            height: 44 + 16 * lines.count,
            markup: """
                \(texts)<text class="t-name t-middle" x="50%" y="32">\(quantity)</text>\(lines)
                """)
    }

    /// A phone has room for so many characters.
    private static let lineLength = 54

    private static func lines(_ text: String) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= lineLength {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

/// A run's events, as numbered marks above the time axis and as a list with the same numbers.
struct EventMarks {
    private let events: [EventRecord]
    private let scale: TimeScale
    /// The indices in `events` of events with numbers.
    private let numbered: [Int]

    /// The most numbered events.
    private static let mostNumbers = 60
    private static let rowHeight = 19
    private static let mostRows = 4
    /// The width of a mark on a phone, in per cent.
    private static let markWidth = 6.0
    /// How many characters of the list fit on a line on a phone.
    private static let lineLength = 38

    init(_ events: [EventRecord], _ scale: TimeScale) {
        self.events = events
        self.scale = scale
        // Failures come first, because readers look for them.
        let failures = events.indices.filter { events[$0].isFailure }.prefix(Self.mostNumbers)
        let others = events.indices.filter { !events[$0].isFailure }
            .prefix(Self.mostNumbers - failures.count)
        numbered = (failures + others).sorted()
    }

    /// A vertical line for each time with events.
    func moments(height: Int) -> Markup {
        let places = Set(events.map { scale.percent($0.seconds) }).sorted()
        // More lines would hide what is behind them.
        guard places.count <= 100 else { return "" }
        return
            "\(places.map { "<line class=\"t-moment\" x1=\"\($0.shortText)%\" x2=\"\($0.shortText)%\" y2=\"\(height)\"/>" as Markup })\n"
    }

    /// The marks; those too close to others are dots.
    var marks: Lane {
        guard !events.isEmpty else { return Lane(height: 0, markup: "") }
        var markup = Markup()
        var ends: [Double] = []
        var numbers = Dictionary(
            uniqueKeysWithValues: zip(numbered, 1...))
        var rest: [Double: Bool] = [:]
        for (index, event) in events.enumerated() {
            // Marks at the edges stay within the drawing.
            let place = scale.percent(event.seconds)
            let row = ends.firstIndex { $0 <= place } ?? ends.count
            guard let number = numbers.removeValue(forKey: index), row < Self.mostRows else {
                rest[place] = rest[place, default: false] || event.isFailure
                continue
            }
            if row == ends.count { ends.append(0) }
            ends[row] = place + Self.markWidth
            markup += mark(event, number, place, row)
        }
        let dotTop = ends.count * Self.rowHeight
        for (place, isFailure) in rest.sorted(by: { $0.key < $1.key }) {
            markup += """
                <circle class="t-mark\(" t-failed", if: isFailure)" cx="\(place.shortText)%" \
                cy="\(dotTop + 4)" r="2.5"/>
                """
        }
        return Lane(height: dotTop + (rest.isEmpty ? 6 : 14), markup: markup)
    }

    private func mark(
        _ event: EventRecord, _ number: Int, _ place: Double, _ row: Int
    ) -> Markup {
        """
        <svg x="\(place.shortText)%" y="\(row * Self.rowHeight)" overflow="visible">\
        <title>\(title(of: event))</title>\
        <rect class="t-mark\(Self.style(of: event))" x="-9" width="18" height="16" \
        rx="\(event.kind == .app ? 3 : 8)"/><text class="t-number" y="11.5">\(number)</text></svg>
        """
    }

    private static func style(of event: EventRecord) -> Markup {
        if event.isFailure { return " t-failed" }
        return switch event.kind {
        case .network: ""
        case .app: " t-app"
        case .expectation: " t-met"
        }
    }

    private func title(of event: EventRecord) -> String {
        "\(moment(of: event)): \(event.text)\(lateness(of: event).map { ", \($0)" } ?? "")"
    }

    private func moment(of event: EventRecord) -> String {
        event.seconds < 60
            ? "\(event.seconds.shortText) s"
            : "\(((event.seconds * 10).rounded() / 10).shortText) s"
    }

    /// Nil if it was nearly on time.
    private func lateness(of event: EventRecord) -> String? {
        guard event.latenessMilliseconds >= 0.05 else { return nil }
        return "\(event.latenessMilliseconds.roundedText) ms late"
    }

    // MARK: The list

    /// The list of numbered events.
    var list: Lane {
        guard !events.isEmpty else { return Lane(height: 0, markup: "") }
        var lines = zip(numbered, 1...).map { row(events[$0], $1) }
        let missing = events.count - numbered.count
        if missing > 0 {
            let text: Markup = """
                <text class="t-muted" x="26" y="12">and \(missing) more\
                \(missing == 1 ? " event" : " events")</text>
                """
            lines.append(Lane(height: 19, markup: text))
        }
        return .stack([Lane(height: 8, markup: "")] + lines)
    }

    private func row(_ event: EventRecord, _ number: Int) -> Lane {
        var lines = Self.lines(of: event.text)
        var texts = lines.enumerated().map { index, line -> Markup in
            "<tspan x=\"84\" y=\"\(12 + 16 * index)\">\(line)</tspan>"
        }
        if let remark = lateness(of: event) {
            let isBeside = (lines.last?.count ?? 0) + 1 + remark.count <= Self.lineLength
            if !isBeside { lines.append(remark) }
            let place: Markup = " x=\"84\" y=\"\(16 * lines.count - 4)\""
            texts.append(
                """
                <tspan class="t-muted"\(place, if: !isBeside)>\(" ", if: isBeside)\(remark)</tspan>
                """)
        }
        return Lane(
            height: 3 + 16 * lines.count,
            markup: """
                <rect class="t-mark\(Self.style(of: event))" width="18" height="16" \
                rx="\(event.kind == .app ? 3 : 8)"/>\
                <text class="t-number" x="9" y="11.5">\(number)</text>\
                <text class="t-muted" x="26" y="12">\(moment(of: event))</text>\
                <text class="t-event\(" t-failed", if: event.isFailure)">\(texts)</text>
                """)
    }

    /// A text wrapped for a phone; at most three lines.
    static func lines(of text: String) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            var word = word
            if let last = lines.last, last.count + 1 + word.count <= lineLength {
                lines[lines.count - 1] += " \(word)"
                continue
            }
            while word.count > lineLength {
                lines.append(String(word.prefix(lineLength)))
                word = word.dropFirst(lineLength)
            }
            lines.append(String(word))
        }
        guard lines.count > 3 else { return lines.isEmpty ? [""] : lines }
        return Array(lines.prefix(2)) + [String(lines[2].prefix(lineLength - 1)) + "…"]
    }
}

/// What apps saw of each interface over time, as one band per interface.
struct PathBands {
    let interfaces: [InterfaceRecord]
    let scale: TimeScale

    private static let bandHeight = 18
    private static let nameHeight = 17

    /// A time during which an interface did not change.
    private struct Span {
        var start: Double
        var end: Double
        var state: PathState
    }

    /// A single interface that never changed needs no band.
    private var isWorthwhile: Bool {
        interfaces.count > 1 || interfaces.contains { $0.states.count > 1 }
    }

    /// The bands with the names of their interfaces.
    var lanes: [Lane] { isWorthwhile ? interfaces.map(lane) : [] }

    /// The legend of the colours that occur.
    var legend: [(sign: Markup, text: String)] {
        guard isWorthwhile else { return [] }
        let states = interfaces.flatMap(\.states).map(\.state)
        let seen = states.filter { $0.isPresent && $0.isUp }
        func box(_ style: Markup, y: Int = 1, height: Int = 12) -> Markup {
            "<rect class=\"\(style)\" y=\"\(y)\" width=\"18\" height=\"\(height)\"/>"
        }
        var entries: [(sign: Markup, text: String)] = []
        if seen.contains(where: \.isPreferred) {
            entries.append((box("t-band t-first"), "up, preferred"))
        }
        if seen.contains(where: { !$0.isPreferred }) { entries.append((box("t-band"), "up")) }
        if states.contains(where: { $0.isPresent && !$0.isUp }) {
            let sign: Markup =
                "<path class=\"t-gone\" style=\"stroke-width:12px\" d=\"M0 7H18\"/>"
            entries.append((sign, "down"))
        }
        if states.contains(where: { !$0.isPresent }) {
            entries.append(("<path class=\"t-absent\" d=\"M0 7H18\"/>", "not there"))
        }
        if seen.contains(where: \.isExpensive) {
            entries.append((box("t-expensive", y: 9, height: 4), "expensive"))
        }
        if seen.contains(where: \.isConstrained) {
            entries.append((box("t-constrained", height: 4), "constrained"))
        }
        return entries
    }

    private func lane(_ interface: InterfaceRecord) -> Lane {
        let bands = spans(of: interface).map(band)
        return Lane(
            height: Self.nameHeight + Self.bandHeight + 9,
            markup: """
                <text class="t-name" y="12">\(interface.name)</text>\
                <g transform="translate(0 \(Self.nameHeight))">\(bands)</g>
                """)
    }

    private func spans(of interface: InterfaceRecord) -> [Span] {
        let steps = interface.states
        return steps.indices.map { index in
            Span(
                start: steps[index].seconds,
                end: index + 1 < steps.count ? steps[index + 1].seconds : scale.end,
                state: steps[index].state)
        }
    }

    /// A span is a nested drawing, which clips what does not fit.
    private func band(_ span: Span) -> Markup {
        let (start, end) = (scale.percent(span.start), scale.percent(span.end))
        guard end > start else { return "" }
        let state = span.state
        let words = Self.words(for: state)
        let times = "\(scale.text(span.start)) to \(scale.text(span.end))"
        // On a phone, only colours may fit.
        let room = Int((end - start) * 3.3 - 8) / 6
        let counts = (0...words.count).reversed()
        let shown = counts.lazy.map { words.prefix($0).joined(separator: ", ") }
            .first { $0.count <= room }
        let text: Markup = """
            <text class="t-word\(" t-halo", if: !state.isUp)" x="4" y="13">\(shown ?? "")</text>
            """
        return """
            <svg x="\(start.shortText)%" width="\((end - start).shortText)%" \
            height="\(Self.bandHeight)"><title>\(times): \(words.joined(separator: ", "))</title>\
            \(Self.picture(of: state))\(text, if: state.isPresent)</svg>
            """
    }

    private static func picture(of state: PathState) -> Markup {
        guard state.isPresent else { return line("t-absent") }
        guard state.isUp else { return line("t-gone") }
        return """
            <rect class="t-band\(" t-first", if: state.isPreferred)" width="100%" height="100%"/>\
            \(stripe("t-constrained", y: 0), if: state.isConstrained)\
            \(stripe("t-expensive", y: bandHeight - 4), if: state.isExpensive)
            """
    }

    /// A line as wide as its span.
    private static func line(_ style: Markup) -> Markup {
        """
        <line class="\(style)" x2="100%" y1="\(bandHeight / 2)" y2="\(bandHeight / 2)"/>
        """
    }

    private static func stripe(_ style: Markup, y: Int) -> Markup {
        "<rect class=\"\(style)\" y=\"\(y)\" width=\"100%\" height=\"4\"/>"
    }

    private static func words(for state: PathState) -> [String] {
        guard state.isPresent else { return ["not there"] }
        guard state.isUp else { return ["down"] }
        let words = [
            state.isPreferred ? "preferred" : nil, state.isExpensive ? "expensive" : nil,
            state.isConstrained ? "constrained" : nil,
        ].compactMap(\.self)
        return words.isEmpty ? ["up"] : words
    }
}

import LinkUnits

/// A strip of a drawing's full width. Horizontal positions are in per cent of the width, vertical
/// ones in pixels from its upper edge.
struct Lane {
    /// Its height in pixels.
    let height: Int
    let markup: Markup

    /// All of `lanes`, from top to bottom.
    static func stack(_ lanes: [Lane]) -> Lane {
        var height = 0
        var markup = Markup()
        for lane in lanes {
            markup += "<g transform=\"translate(0 \(height))\">\(lane.markup)</g>\n"
            height += lane.height
        }
        return Lane(height: height, markup: markup)
    }

    /// A legend of lines and areas, in as many rows as a phone needs.
    static func legend(_ entries: [(sign: Markup, text: String)]) -> Lane {
        var markup = Markup()
        var (left, top) = (0, 0)
        for entry in entries {
            let width = 26 + 6 * entry.text.count + 14
            if left > 0, left + width > 340 { (left, top) = (0, top + 18) }
            markup += """
                <g transform="translate(\(left) \(top))">\(entry.sign)\
                <text class="t-muted" x="24" y="11">\(entry.text)</text></g>
                """
            left += width
        }
        return Lane(height: entries.isEmpty ? 0 : top + 24, markup: markup)
    }

    /// The time axis.
    static func axis(_ scale: TimeScale) -> Lane {
        let texts = scale.ticks.map { tick -> Markup in
            let place = scale.percent(tick)
            let anchor: Markup = place == 0 ? "" : place > 96 ? " t-end" : " t-middle"
            return """
                <text class="t-muted\(anchor)" x="\(place.shortText)%" y="13">\
                \(scale.text(tick))</text>
                """
        }
        return Lane(height: 22, markup: "\(texts)")
    }
}

/// Curves over time with a common baseline, a name and a label for the upper edge.
struct CurveLane {
    var name: String
    /// The text on the right, such as the highest value.
    var remark: String
    /// The label of the upper edge.
    var top: String
    /// The height of the curves in pixels.
    var height: Int
    var scale: TimeScale
    /// Paths in a box of 1000 by 1000.
    var curves: [Markup]

    private static let captionHeight = 20

    var lane: Lane {
        let ticks = scale.ticks.dropFirst().map { "M\(scale.position($0)) 0V1000" }.joined()
        return Lane(
            height: Self.captionHeight + height + 14,
            markup: """
                \(Self.caption(name, remark))\
                <svg y="\(Self.captionHeight)" width="100%" height="\(height)" \
                viewBox="0 0 1000 1000" preserveAspectRatio="none" overflow="visible">\
                <path class="t-rule" d="M0 0H1000M0 500H1000\(Markup(trusted: ticks))"/>\
                <path class="t-base" d="M0 1000H1000"/>\(curves)</svg>\
                <text class="t-muted t-halo" x="3" y="\(Self.captionHeight + 12)">\(top)</text>
                """)
    }

    /// A replacement for curves that would all be zero.
    static func empty(name: String, remark: String) -> Lane {
        Lane(height: captionHeight + 8, markup: caption(name, remark))
    }

    private static func caption(_ name: String, _ remark: String) -> Markup {
        """
        <text class="t-name t-halo" y="12">\(name)</text>\
        <text class="t-muted t-halo t-end" x="100%" y="12">\(remark)</text>
        """
    }
}

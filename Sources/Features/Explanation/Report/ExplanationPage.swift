import LinkUnits
import Recording

/// The page of an explanation: one HTML file without scripts, with a picture of the waits.
public struct ExplanationPage: Sendable {
    private let run: Explanation

    private let requestsByConnection: [Int: [Explanation.Request]]
    private let lastAnswers: [Int: Duration]

    /// More lanes say nothing to people.
    private static let mostLanes = 60
    /// More connections than these share lanes.
    private static let mostSeparate = 12
    private static let mostShown = 1000
    private static let laneHeight = 22
    private static let style = String(
        decoding: EmbeddedFiles.explanation_css, as: UTF8.self)
    private static let policy = String(
        decoding: EmbeddedFiles.explanation_policy_txt, as: UTF8.self
    ).filter { $0 != "\n" }

    /// Makes the page of an explanation.
    public init(_ run: Explanation) {
        self.run = run
        requestsByConnection = Dictionary(grouping: run.requests, by: \.connection)
        lastAnswers = requestsByConnection.compactMapValues { $0.compactMap(\.end).max() }
    }

    /// The page as a separate file.
    public var html: String {
        let title = run.comment.isEmpty ? run.name : run.comment
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(Markup(trusted: Self.policy))">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title) - linkcond explain</title>
            <style>
            \(Markup(trusted: Self.style))</style>
            </head>
            <body>
            <h1>\(title)</h1>
            <p class="sentence">\(run.sentence)</p>
            \(causes)\(picture)\(advice)\(section("Run again", run.counterfactualRows))\
            \(section("Connections", run.connectionRows))\(section("Requests", run.requestRows))\
            \(notes)</body>
            </html>

            """
        return page.description
    }

    // MARK: Tables

    private var causes: Markup {
        let rows = run.causes.map { cause, time -> Markup in
            """
            <tr><td><span class="swatch \(cause.rawValue)"></span>\(cause.text)</td>\
            <td class="n">\(time.readableText)</td><td class="n">\(run.percent(time))</td>\
            <td>\(cause.meaning)</td></tr>

            """
        }
        return "<table>\n\(rows)</table>\n"
    }

    private func section(_ title: String, _ table: Explanation.Rows) -> Markup {
        guard !table.rows.isEmpty else { return Markup() }
        let titles = table.titles.map { title -> Markup in
            "<th\(" class=\"n\"", if: title.isNumber)>\(title.text)</th>"
        }
        let rows = table.rows.map { row -> Markup in
            let cells = zip(row, table.titles).map { cell, title -> Markup in
                "<td\(" class=\"n\"", if: title.isNumber)>\(cell)</td>"
            }
            return "<tr>\(cells)</tr>\n"
        }
        return """
            <h2>\(title)</h2>
            <div class="wide"><table>
            <tr>\(titles)</tr>
            \(rows)</table></div>
            \("<p>and \(table.omitted) more</p>\n", if: table.omitted > 0)
            """
    }

    private var advice: Markup {
        guard !run.advice.isEmpty else { return Markup() }
        let items = run.advice.map { advice -> Markup in
            let numbers = advice.packets.map { "\($0)" }.joined(separator: ", ")
            return "<li>\(advice.text) (packets \(numbers))</li>\n"
        }
        return "<h2>Advice</h2>\n<ul>\n\(items)</ul>\n"
    }

    private var notes: Markup {
        guard !run.notes.isEmpty else { return Markup() }
        let items = run.notes.map { note -> Markup in "<li>\(note)</li>\n" }
        return "<h2>Notes</h2>\n<ul>\n\(items)</ul>\n"
    }

    // MARK: The picture

    private var picture: Markup {
        let lanes = packedLanes
        let omitted =
            run.connections.count + run.omittedConnections - lanes.reduce(0) { $0 + $1.count }
        let height = (lanes.count + 1) * 2 * Self.laneHeight + 20
        var drawn = lane(
            0, "what the run waited for",
            run.path.map { ($0.start, $0.waits, name(of: $0)) })
        for (place, connections) in lanes.enumerated() {
            let first = connections[0]
            let title =
                connections.count == 1
                ? "\(first.index + 1) \(first.title)" : "\(connections.count) x \(first.title)"
            drawn += lane(place + 1, title, connections.flatMap(parts(of:)))
        }
        let ticks = (0...4).map { tick -> Markup in
            let time = run.duration * tick / 4
            let anchor = tick == 0 ? "start" : tick == 4 ? "end" : "middle"
            return """
                <text class="muted" x="\(25 * tick)%" y="\(height - 4)" \
                text-anchor="\(anchor)">\(time.readableText)</text>
                """
        }
        return """
            <h2>Over time</h2>
            <svg xmlns="http://www.w3.org/2000/svg" width="100%" height="\(height)" role="img" \
            aria-label="What each connection waited for over time">
            \(drawn)\(ticks)
            </svg>
            \("<p>and \(omitted) more connections</p>\n", if: omitted > 0)
            """
    }

    /// Few connections have a lane each; of many, those to the same peer share one unless they are
    /// beside each other.
    private var packedLanes: [[Explanation.Connection]] {
        let shown = run.connections.prefix(Self.mostShown)
        guard shown.count > Self.mostSeparate else { return shown.map { [$0] } }
        var lanes: [[Explanation.Connection]] = []
        for connection in shown {
            let lane = lanes.firstIndex { lane in
                lane[0].title == connection.title
                    && lane.allSatisfy { use(of: $0) <= connection.start }
            }
            if let lane {
                lanes[lane].append(connection)
            } else if lanes.count < Self.mostLanes {
                lanes.append([connection])
            }
        }
        return lanes
    }

    /// Until when the app got something from a connection, which may end much later.
    private func use(of connection: Explanation.Connection) -> Duration {
        lastAnswers[connection.index] ?? connection.start
            + connection.handshake.map(\.length).reduce(.zero, +)
    }

    private func parts(
        of connection: Explanation.Connection
    ) -> [(start: Duration, waits: [Wait], name: String)] {
        let number = "connection \(connection.index + 1)"
        let opening =
            connection.handshake.isEmpty
            ? []
            : [(start: connection.start, waits: connection.handshake, name: "\(number), opening")]
        return opening
            + (requestsByConnection[connection.index] ?? []).map { request in
                (request.start, request.waits, "\(number), \(request.title)")
            }
    }

    private func name(of stretch: Explanation.Stretch) -> String {
        guard let connection = stretch.connection else { return "the app" }
        return "connection \(connection + 1)"
            + (stretch.request.map { ", request \($0 + 1)" } ?? "")
    }

    private func lane(
        _ place: Int, _ name: String, _ parts: [(start: Duration, waits: [Wait], name: String)]
    ) -> Markup {
        let top = place * 2 * Self.laneHeight
        var bars = Markup()
        for part in parts {
            var start = part.start
            for wait in part.waits {
                let (left, width) = (
                    position(start), position(start + wait.length) - position(start)
                )
                start += wait.length
                // Narrower ones cannot be seen, and there may be many.
                guard width >= 0.02 else { continue }
                let cause = wait.kind.cause
                bars += """
                    <rect class="\(cause.rawValue)" x="\(left.shortText)%" \
                    width="\(max(width, 0.05).shortText)%" y="\(top + Self.laneHeight)" \
                    height="\(Self.laneHeight - 6)"><title>\(part.name): \(cause.text) \
                    \(wait.length.readableText)</title></rect>

                    """
            }
        }
        return """
            <text y="\(top + Self.laneHeight - 5)">\(name)</text>
            <rect class="ground" x="0" width="100%" y="\(top + 2 * Self.laneHeight - 6)" height="1"/>
            \(bars)
            """
    }

    /// A time since the start in per cent of the width.
    private func position(_ time: Duration) -> Double {
        min(max(time / run.duration, 0), 1) * 100
    }
}

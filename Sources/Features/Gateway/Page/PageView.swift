import LinkModel
import LinuxKernel
import ProfileFormat

/// What the page shows.
struct PageView: Sendable, Hashable {
    /// A device and what it has.
    struct Item: Sendable, Hashable {
        var hardware: HardwareAddress
        var title: String
        var addresses: [IPAddress]
        var decision: Decision
        /// Whether the one who looks may change it.
        var isChangeable: Bool
        /// Why it does not have what was decided.
        var problem: String?
        /// When the decision ends.
        var remaining: Duration?
    }

    /// The device that looks at the page, and others if it may change them.
    var items: [Item]
    var offers: [NetworkChoice]
    /// Must come back with a form.
    var token: String

    /// The times for which a device may choose, in minutes; zero: until it chooses again.
    static let times = [0, 10, 60]

    static let path = "/"
    static let stylePath = "/style.css"
    static let formPath = "/profile"

    /// The page.
    var html: String {
        let articles = items.map(article).joined(separator: "\n")
        return Self.frame(
            "<h1>\(items.count == 1 ? "This device's network" : "Devices and their networks")</h1>\n"
                + articles)
    }

    /// A page that says only `text`.
    static func note(_ text: String) -> String {
        frame("<h1>linkcond</h1>\n<p>\(escaped(text))</p>")
    }

    private static func frame(_ content: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>linkcond</title>
        <link rel="stylesheet" href="\(stylePath)">
        </head>
        <body>
        <main>
        \(content)
        </main>
        </body>
        </html>

        """
    }

    private func article(_ item: Item) -> String {
        let addresses = item.addresses.map(\.description).joined(separator: ", ")
        var lines = [
            "<article>", "<h2>\(Self.escaped(item.title))</h2>",
            "<p class=\"address\">\(Self.escaped(addresses))</p>",
            "<p class=\"now\">\(Self.escaped(item.decision.choice.title))"
                + "\(Self.escaped(Self.end(of: item)))</p>",
        ]
        if let conditions = item.decision.choice.conditions {
            lines.append(Self.table(conditions))
        }
        if let problem = item.problem {
            lines.append("<p role=\"alert\">Not in force: \(Self.escaped(problem))</p>")
        }
        if item.isChangeable { lines.append(form(item)) }
        return (lines + ["</article>"]).joined(separator: "\n")
    }

    private static func end(of item: Item) -> String {
        if let end = item.decision.scheduledEnd { return ", by the schedule, until \(end)" }
        guard let remaining = item.remaining else { return "" }
        let minutes = max(1, Int((remaining / .seconds(60)).rounded(.up)))
        return ", for \(minutes) min"
    }

    private static func table(_ conditions: LinkConditions) -> String {
        let conditions = conditions.withExplicitLoss
        let rows = [("Down", conditions.down), ("Up", conditions.up)].map { name, direction in
            "<tr><th scope=\"row\">\(name)</th><td>\(escaped(ProfileWriter.line(of: direction)))</td></tr>"
        }
        return "<table>\n<caption>Conditions</caption>\n\(rows.joined(separator: "\n"))\n</table>"
    }

    private func form(_ item: Item) -> String {
        let choices = ([NetworkChoice.none] + offers).enumerated().map { number, choice in
            let isChosen = choice.title == item.decision.choice.title
            return "<option value=\"\(number)\"\(isChosen ? " selected" : "")>"
                + "\(Self.escaped(number == 0 ? "No conditions" : choice.title))</option>"
        }
        let times = Self.times.map { minutes in
            "<option value=\"\(minutes)\">"
                + "\(minutes == 0 ? "until I choose again" : "for \(minutes) minutes")</option>"
        }
        return """
            <form method="post" action="\(Self.formPath)">
            <input type="hidden" name="token" value="\(token)">
            <input type="hidden" name="device" value="\(item.hardware)">
            <label>Network <select name="profile">\(choices.joined())</select></label>
            <label>How long <select name="minutes">\(times.joined())</select></label>
            <button>Use it</button>
            </form>
            """
    }

    /// A text in HTML.
    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
    }

    static let style = """
        :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
        body { margin: 0; }
        main { max-width: 40rem; margin: 0 auto; padding: 1rem; }
        article { border: 1px solid; border-radius: .5rem; padding: 0 1rem 1rem; margin: 1rem 0; }
        .now { font-size: 1.25rem; font-weight: bold; }
        .address { overflow-wrap: anywhere; }
        table { border-collapse: collapse; margin-bottom: 1rem; }
        caption { text-align: left; font-weight: bold; }
        th, td { text-align: left; padding: .25rem .75rem .25rem 0; vertical-align: top; }
        label { display: block; margin: .5rem 0; }
        select, button { font: inherit; padding: .5rem; max-width: 100%; min-height: 2.75rem; }
        button { margin-top: .5rem; }

        """
}

import LinkUnits
import Recording

/// A log in colour.
struct LogView {
    let file: LogFile?
    let excerpt: LogExcerpt?
    /// The name of the cell for the last attempt; nil for earlier attempts, which have their own
    /// heading.
    let name: String?
    /// The path of the report's directory for links.
    let root: Markup

    /// The log, or a note that it is empty.
    var markup: Markup {
        let label = name.map { "Log of \($0)" } ?? "Log"
        let heading: Markup = name == nil ? "" : "<h2>Log</h2>"
        return """
            <section class="log">\(heading)\(body(label))\(source)</section>

            """
    }

    private func body(_ label: String) -> Markup {
        guard let excerpt else {
            return "<p class=\"muted\">\(file == nil ? "There is none." : "It is not here.")</p>"
        }
        guard !excerpt.beginning.isEmpty else {
            return "<p class=\"muted\">The command printed nothing.</p>"
        }
        let omitted: Markup = """
            <span class="omitted">\(ByteCount(bytes: excerpt.omittedBytes).decimalText) left out \
            here</span>

            """
        return """
            <pre tabindex="0" role="region" aria-label="\(label)">\(Self.runs(excerpt.beginning))\
            \(omitted, if: excerpt.omittedBytes > 0)\(Self.runs(excerpt.end))</pre>
            """
    }

    private var source: Markup {
        guard let file else { return "" }
        // The path becomes a link: nothing in it may be read as a scheme or another page.
        let address = file.path.utf8.map { byte -> String in
            let isPlain =
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "/-_.".utf8.contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%\(digits.count == 1 ? "0" : "")\(digits)"
        }.joined()
        let printed = ByteCount(bytes: file.printedBytes).decimalText
        let omitted = ByteCount(bytes: file.omittedBytes).decimalText
        return """
            <p class="muted"><a href="\(root)\(address)">\(file.path)</a>, \(printed) printed\
            \(", of which \(omitted) are not in the file", if: file.omittedBytes > 0)</p>
            """
    }

    private static func runs(_ bytes: [UInt8]) -> [Markup] {
        TerminalText(bytes).runs.map { run in
            let classes = classes(of: run.style)
            return classes.isEmpty
                ? "\(run.text)" : "<span class=\"\(classes)\">\(run.text)</span>"
        }
    }

    private static func classes(of style: TerminalText.Style) -> String {
        var classes: [String] = []
        if let color = style.color { classes.append("c\(color)") }
        if let background = style.background {
            classes.append("b\(background)")
        } else if style.isReversed {
            // What most programs mean: a word on its colour.
            classes.append(style.color.map { "b\($0)" } ?? "reversed")
        }
        if style.isBold { classes.append("bold") }
        if style.isDim { classes.append("dim") }
        if style.isItalic { classes.append("italic") }
        if style.isUnderlined { classes.append("under") }
        return classes.joined(separator: " ")
    }
}

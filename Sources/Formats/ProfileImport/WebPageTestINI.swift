import LinkModel
import LinkUnits
import ProfileFormat

/// `connectivity.ini` of WebPageTest: a section for each profile, with rates in bit/s, the RTT
/// (`latency`) in milliseconds, and loss (`plr`) in per cent in both directions.
enum WebPageTestINI {
    static func drafts(_ file: ForeignFile) throws(ProfileError) -> [Entry] {
        var entries: [Entry] = []
        for section in try INIText.sections(of: file) {
            entries.append(Entry(try draft(section.fields, section.name), path: section.name))
        }
        guard !entries.isEmpty else {
            throw ProfileError(
                file: file.name, explanation: "has no section; a profile begins as in [Cable]")
        }
        return entries
    }

    private static func draft(
        _ fields: ForeignTable, _ name: String
    ) throws(ProfileError) -> Draft {
        var fields = fields
        var draft = Draft(name: name)
        draft.summary = try fields.text("label") ?? ""
        let roundTrip = try fields.milliseconds("latency") ?? .zero
        let loss = LossModel.random(try fields.percentage("plr") ?? .zero)
        draft.conditions = LinkConditions(
            down: .init(
                bandwidth: try fields.bandwidth("bwIn", in: .bitsPerSecond(1)),
                delay: roundTrip / 2, loss: loss),
            up: .init(
                bandwidth: try fields.bandwidth("bwOut", in: .bitsPerSecond(1)),
                delay: roundTrip / 2, loss: loss))
        if roundTrip > .zero {
            draft.explain(
                "latency \(roundTrip.unitText) is a round trip: half of it in each direction.")
        }
        if let timeout = try fields.text("timeout") {
            draft.leaveOut("timeout \(timeout), which limits a test and conditions no link.")
        }
        draft.leaveOut(restOf: fields)
        return draft
    }
}

/// Sections of `key=value` lines; values may be quoted, comments follow `;` or `#`.
enum INIText {
    static func sections(
        of file: ForeignFile
    ) throws(ProfileError) -> [(name: String, fields: ForeignTable)] {
        var sections: [(name: String, fields: ForeignTable)] = []
        var name: String?
        var names: Set<String> = []
        var values: [String: ForeignValue] = [:]
        var places: [String: Int] = [:]
        let lines = try file.text(limit: ForeignValue.sizeLimit)
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        func finish() {
            guard let name else { return }
            let fields = ForeignTable(values: values, lines: places, file: file.name, path: name)
            sections.append((name, fields))
        }
        for (index, line) in lines.enumerated() {
            let text = trimmed(line)
            guard let first = text.first, first != ";", first != "#" else { continue }
            func error(_ explanation: String) -> ProfileError {
                ProfileError(file: file.name, line: index + 1, explanation: explanation)
            }
            if first == "[" {
                guard text.last == "]", text.count > 2 else {
                    throw error("\"\(text)\" is no section; one begins as in [Cable]")
                }
                finish()
                name = String(text.dropFirst().dropLast())
                (values, places) = ([:], [:])
                guard names.insert(name ?? "").inserted else {
                    throw error("[\(name ?? "")] is there twice; leave one")
                }
                continue
            }
            guard name != nil else { throw error("stands before the first section, as in [Cable]") }
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw error("\"\(text)\" is not of the form key=value") }
            let key = trimmed(parts[0])
            guard places[key] == nil else { throw error("\(key) is given twice; keep one") }
            places[key] = index + 1
            values[key] = .text(unquoted(trimmed(parts[1])))
        }
        finish()
        return sections
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first?.isWhitespace == true { text = text.dropFirst() }
        while text.last?.isWhitespace == true { text = text.dropLast() }
        return String(text)
    }

    /// The text between quotes, or else the text before a comment.
    private static func unquoted(_ text: String) -> String {
        guard let quote = text.first, quote == "\"" || quote == "'" else {
            return trimmed(text[..<(text.firstIndex(of: ";") ?? text.endIndex)])
        }
        let inner = text.dropFirst()
        return String(inner[..<(inner.firstIndex(of: quote) ?? inner.endIndex)])
    }
}

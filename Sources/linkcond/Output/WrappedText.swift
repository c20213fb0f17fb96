/// Text in lines of limited width.
enum WrappedText {
    /// The columns of the narrowest terminal that is common.
    static let terminalWidth = 80

    /// A label and its value, wrapped to as many lines as needed.
    static func labelled(
        _ label: String, _ value: String, labelWidth: Int, indentation: Int = 0,
        breaksWords: Bool = false
    ) -> String {
        let width = terminalWidth - indentation - labelWidth
        let lines = lines(of: value, width: width, breaksWords: breaksWords)
        return lines.enumerated().map { index, line in
            let label = padded(index == 0 ? label : "", to: labelWidth)
            return String(repeating: " ", count: indentation) + label + line + "\n"
        }.joined()
    }

    /// `text` in lines of at most `width` columns. A longer word gets its own line, or several if
    /// it may be broken.
    static func lines(of text: String, width: Int, breaksWords: Bool = false) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, Table.width(last) + 1 + Table.width(String(word)) <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines += breaksWords ? parts(of: word, width: width) : [String(word)]
            }
        }
        return lines
    }

    /// The label with blanks behind it.
    static func padded(_ label: String, to width: Int) -> String {
        label + String(repeating: " ", count: width - label.count)
    }

    private static func parts(of word: Substring, width: Int) -> [String] {
        var parts: [String] = []
        for character in word {
            if let last = parts.last, Table.width(last + String(character)) <= width {
                parts[parts.count - 1].append(character)
            } else {
                parts.append(String(character))
            }
        }
        return parts
    }
}

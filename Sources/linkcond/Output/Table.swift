import LinkModel

/// Columns of text, each as wide as its widest cell.
struct Table {
    struct Column {
        let title: String
        var isRight = false

        /// A column whose cells are aligned on the right.
        static func right(_ title: String) -> Column { Column(title: title, isRight: true) }
    }

    let columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row; it must have one cell per column.
    mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row has a cell for every column")
        rows.append(cells.map(\.printable))
    }

    /// The lines without trailing blanks, the titles in bold if `isStyled`.
    func text(isStyled: Bool) -> String {
        lines(isStyled: isStyled).joined(separator: "\n") + "\n"
    }

    /// The line of the titles, and one for each row.
    func lines(isStyled: Bool) -> [String] {
        let titles = columns.map(\.title)
        let widths = columns.indices.map { column in
            ([titles] + rows).map { Self.width($0[column]) }.max() ?? 0
        }
        var lines = [line(titles, widths: widths)]
        if isStyled { lines[0] = Style.bold(lines[0]) }
        lines += rows.map { line($0, widths: widths) }
        return lines
    }

    private func line(_ cells: [String], widths: [Int]) -> String {
        var text = ""
        for (column, cell) in cells.enumerated() {
            let padding = String(repeating: " ", count: widths[column] - Self.width(cell))
            text += columns[column].isRight ? padding + cell : cell + padding
            text += "  "
        }
        while text.last == " " { text.removeLast() }
        return text
    }

    /// The terminal columns that `text` occupies: two for East Asian characters and emoji, one for
    /// others.
    static func width(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { sum, character in
            let isWide = character.unicodeScalars.contains { scalar in
                switch scalar.value {
                case 0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff,
                    0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1faff,
                    0x20000...0x3fffd:
                    true
                default: false
                }
            }
            return sum + (isWide ? 2 : 1)
        }
    }
}

extension Table.Column: ExpressibleByStringLiteral {
    init(stringLiteral title: String) { self.init(title: title) }
}

/// Terminal escape sequences.
enum Style {
    /// Clears the terminal and moves the cursor to its top.
    static let clearScreen = "\u{1b}[H\u{1b}[2J"

    static func bold(_ text: String) -> String { "\u{1b}[1m\(text)\u{1b}[0m" }
}

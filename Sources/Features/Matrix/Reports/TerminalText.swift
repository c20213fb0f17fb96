import LinkModel

/// A program's terminal output as styled text.
///
/// Colours and weights (ECMA-48, SGR) are kept; all other control sequences are dropped. A line
/// that was overwritten repeatedly, such as a progress bar, appears once, in its final state.
struct TerminalText: Sendable, Hashable {
    /// A piece of text with one style.
    struct Run: Sendable, Hashable {
        var text: String
        var style: Style
    }

    /// The style of text.
    struct Style: Sendable, Hashable {
        var isBold = false
        var isDim = false
        var isItalic = false
        var isUnderlined = false
        /// Whether text and background exchange their colours.
        var isReversed = false
        /// 0 to 7 as in SGR 30 to 37, 8 to 15 as in 90 to 97; nil: the default.
        var color: Int?
        /// The colour of the background; nil: the default.
        var background: Int?
    }

    private(set) var runs: [Run] = []
    private var style = Style()
    private var line: [Run] = []

    /// Reads bytes, which need not be UTF-8.
    init(_ bytes: some Sequence<UInt8>) {
        let text = String(decoding: Array(bytes), as: UTF8.self)
        var scalars = text.unicodeScalars.makeIterator()
        var piece = String.UnicodeScalarView()
        var next = scalars.next()
        while let scalar = next {
            next = scalars.next()
            switch scalar {
            case "\u{1B}":
                take(&piece)
                skipSequence(&next, &scalars)
            case "\u{9B}":
                take(&piece)
                readControl(&next, &scalars)
            case "\n":
                piece.append("\n")
                take(&piece)
                endLine()
            case "\r":
                take(&piece)
                // Windows programs print several carriage returns before a line break.
                while next == "\r" { next = scalars.next() }
                if next != "\n", next != nil { line = [] }
            case "\u{08}":
                if !piece.isEmpty { piece.removeLast() }
            case "\u{07}", "\u{0E}", "\u{0F}": break
            default: piece.append(scalar.visible)
            }
        }
        take(&piece)
        endLine()
    }

    /// The text without styles.
    var plain: String { runs.map(\.text).joined() }

    private mutating func take(_ piece: inout String.UnicodeScalarView) {
        guard !piece.isEmpty else { return }
        if line.last?.style == style {
            line[line.count - 1].text += String(piece)
        } else {
            line.append(Run(text: String(piece), style: style))
        }
        piece = String.UnicodeScalarView()
    }

    private mutating func endLine() {
        for run in line {
            if runs.last?.style == run.style {
                runs[runs.count - 1].text += run.text
            } else {
                runs.append(run)
            }
        }
        line = []
    }

    // MARK: Control sequences

    private typealias Scalars = String.UnicodeScalarView.Iterator

    /// Skips what follows an escape character; an unterminated sequence swallows no text.
    private mutating func skipSequence(_ next: inout Unicode.Scalar?, _ scalars: inout Scalars) {
        guard let first = next else { return }
        next = scalars.next()
        switch first {
        case "[": readControl(&next, &scalars)
        case "]", "P", "X", "^", "_": skipString(&next, &scalars)
        case " "..."/":
            // For example a character set: one more character follows.
            if let last = next, ("0"..."~").contains(last) { next = scalars.next() }
        default: break
        }
    }

    /// Reads a CSI sequence such as `31;1m`.
    private mutating func readControl(_ next: inout Unicode.Scalar?, _ scalars: inout Scalars) {
        var parameters = ""
        while let scalar = next, (" "..."?").contains(scalar) {
            if parameters.count < 64 { parameters.unicodeScalars.append(scalar) }
            next = scalars.next()
        }
        guard let end = next, ("@"..."~").contains(end) else { return }
        next = scalars.next()
        switch end {
        case "m": apply(parameters)
        // Erases the line: the cursor is at its start, or soon will be.
        case "K" where parameters == "2": line = []
        default: break
        }
    }

    /// Skips a string for the terminal, such as a title or a hyperlink's address.
    private mutating func skipString(_ next: inout Unicode.Scalar?, _ scalars: inout Scalars) {
        while let scalar = next, scalar != "\n" {
            next = scalars.next()
            if scalar == "\u{07}" || scalar == "\u{9C}" { return }
            if scalar == "\u{1B}", next == "\\" {
                next = scalars.next()
                return
            }
        }
    }

    private mutating func apply(_ parameters: String) {
        let codes = parameters.split(separator: ";", omittingEmptySubsequences: false)
            .map { Int($0) ?? 0 }
        var index = 0
        while index < codes.count {
            let code = codes[index]
            index += 1
            switch code {
            case 0: style = Style()
            case 1: style.isBold = true
            case 2: style.isDim = true
            case 3: style.isItalic = true
            case 4: style.isUnderlined = true
            case 7: style.isReversed = true
            case 22: (style.isBold, style.isDim) = (false, false)
            case 27: style.isReversed = false
            case 23: style.isItalic = false
            case 24: style.isUnderlined = false
            case 30...37: style.color = code - 30
            case 90...97: style.color = code - 82
            case 39: style.color = nil
            case 40...47: style.background = code - 40
            case 100...107: style.background = code - 92
            case 49: style.background = nil
            case 38: style.color = TerminalColor.read(codes, &index)
            case 48: style.background = TerminalColor.read(codes, &index)
            default: break
            }
        }
    }
}

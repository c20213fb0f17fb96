/// Text that a terminal, a log or an XML report can show safely.
///
/// Names and file names come from outside; an escape sequence in them could change the colours, the
/// title or the contents of a terminal.
extension Unicode.Scalar {
    /// Whether it is neither a control character, nor a line break, nor a bidirectional control.
    public var isPrintable: Bool {
        if isASCII { return value >= 0x20 && value != 0x7f }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: !properties.isBidiControl
        }
    }

    /// The character itself, or a visible substitute: U+241B for an escape, U+FFFD for a
    /// noncharacter. Tabs and line ends stay, for text of several lines.
    ///
    /// The result is valid in XML 1.0 (section 2.2). Bidirectional controls are replaced as well,
    /// since they could make a log look like another one.
    public var visible: Unicode.Scalar {
        switch value {
        case 0x09, 0x0A: self
        case 0x00...0x1F: Unicode.Scalar(0x2400 + value) ?? "\u{FFFD}"
        case 0x7F: "\u{2421}"
        case 0x80...0x9F, 0xFFFE, 0xFFFF, 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
        default: self
        }
    }
}

extension String {
    /// The text with every non-printable character written as its number: `\u{1b}`.
    public var printable: String {
        guard !unicodeScalars.allSatisfy(\.isPrintable) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isPrintable {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text
    }
}

/// Text that a terminal, a log or an XML report shows as it stands.
///
/// Names and file names come from others; an escape sequence among them could recolour, rename or
/// rewrite what a terminal shows.
extension Unicode.Scalar {
    /// Whether it is neither a control character, nor a line break, nor one that turns the
    /// direction of the text around it.
    public var isPrintable: Bool {
        if isASCII { return value >= 0x20 && value != 0x7f }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: !properties.isBidiControl
        }
    }
}

extension String {
    /// The text with everything that is not printable written as its number: `\u{1b}`.
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

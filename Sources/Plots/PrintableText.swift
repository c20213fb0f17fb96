/// Text without anything that does something instead of being seen.
package enum PrintableText {
    /// The character itself, or one that shows it: U+241B for an escape, U+FFFD for what is no
    /// character at all.
    ///
    /// What is left may stand in XML 1.0 (section 2.2). Marks that turn the direction of the text
    /// around are shown as well, since they would make a log look like another one.
    package static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0x09, 0x0A: scalar
        case 0x00...0x1F: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
        case 0x7F: "\u{2421}"
        case 0x80...0x9F, 0xFFFE, 0xFFFF, 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
        default: scalar
        }
    }

    /// A text in which everything can be seen.
    package static func visible(_ text: some StringProtocol) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { scalars.append(visible(scalar)) }
        return String(scalars)
    }
}

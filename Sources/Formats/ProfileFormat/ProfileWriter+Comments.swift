public import LinkModel

extension ProfileWriter {
    private static let commentWidth = 98

    /// The whole file with `comments` in front, one paragraph each.
    public static func yaml(_ profile: Profile, comments: [String]) -> String {
        comments.map { comment($0) }.joined() + yaml(profile)
    }

    static func comment(_ text: String, indent: String = "") -> String {
        var lines: [String] = []
        var line = indent + "#"
        for word in text.printable.split(separator: " ") {
            if line.count + 1 + word.count > commentWidth, line != indent + "#" {
                lines.append(line)
                line = indent + "#"
            }
            // YAML forbids these characters even in comments.
            line += " " + word.unicodeScalars.map(escaped).joined()
        }
        lines.append(line)
        return lines.map { $0 + "\n" }.joined()
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        scalar.value == 0xfeff || scalar.properties.isNoncharacterCodePoint
            ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }
}

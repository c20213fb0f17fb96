import LinkModel

extension String {
    /// The text in YAML's double quotes.
    var inYAMLQuotes: String {
        var quoted = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            // Some of these are line breaks in YAML, others are not allowed in text.
            case _
            where !scalar.isPrintable || scalar.properties.isNoncharacterCodePoint
                || scalar == "\u{feff}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

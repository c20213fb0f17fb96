public import LinkModel
import LinkUnits

/// Writes profiles as the YAML that `ProfileReader` reads.
public enum ProfileWriter {
    /// The whole file, ending with a line break.
    public static func yaml(_ profile: Profile) -> String {
        var lines = heading(of: profile)
        let conditions = profile.conditions
        lines += direction("down", conditions.down) + direction("up", conditions.up)
        if let delay = conditions.dnsDelay { lines.append("dns: { delay: \(delay.unitText) }") }
        if profile.isExpensive { lines.append("expensive: true") }
        if profile.isConstrained { lines.append("constrained: true") }
        if conditions.isBlackhole { lines.append("blackhole: true") }
        if let middle = conditions.middle { lines.append("middle: \(middle.text)") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What precedes the conditions.
    static func heading(of profile: Profile) -> [String] {
        var lines = ["name: \(scalar(profile.name))", "family: \(scalar(profile.family))"]
        if !profile.aliases.isEmpty {
            lines.append("aliases: [\(profile.aliases.map(scalar).joined(separator: ", "))]")
        }
        if !profile.summary.isEmpty { lines.append("summary: \(scalar(profile.summary))") }
        if !profile.source.isEmpty { lines.append("source: \(scalar(profile.source))") }
        lines.append("interface: \(profile.interface.rawValue)")
        return lines
    }

    private static func direction(_ name: String, _ conditions: DirectionConditions) -> [String] {
        let fields = fields(of: conditions)
        guard !fields.isEmpty else { return [] }
        let text = fields.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        return ["\(name): { \(text) }"]
    }

    /// The fields that differ from a perfect link, as a profile writes them.
    public static func fields(
        of conditions: DirectionConditions
    ) -> [(key: String, value: String)] {
        ConditionField.all.compactMap { field in
            field.value(conditions).map { value in
                (field.key, field.isFreeText ? scalar(value.description) : value.description)
            }
        }
    }

    /// The word itself, or in double quotes if YAML might misread it.
    private static func scalar(_ text: String) -> String {
        let isPlain =
            text.first?.isLetter == true
            && text.allSatisfy {
                $0.isASCII && ($0.isLetter || $0.isNumber || " -_.+".contains($0))
            }
            && text.last != " "
            && !["true", "false", "null", "yes", "no", "on", "off"]
                .contains(text.lowercased())
        guard !isPlain else { return text }
        var quoted = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            // YAML forbids these characters unescaped, and a terminal should not see them.
            case _ where !scalar.isPrintable || scalar.isMarkOrNoncharacter:
                quoted += "\\U" + hexadecimal(scalar.value)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return "\"\(quoted)\""
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

extension Unicode.Scalar {
    /// The byte order mark and noncharacters, which YAML forbids.
    fileprivate var isMarkOrNoncharacter: Bool {
        value == 0xfeff || properties.isNoncharacterCodePoint
    }
}

public import LinkModel
import LinkUnits
import YAMLReading

/// Reads profiles from YAML texts and single fields from options.
public enum ProfileReader {
    private static let keys = [
        "name", "family", "aliases", "summary", "source", "interface", "down", "up", "dns",
        "expensive", "constrained", "blackhole", "middle",
    ]

    /// Reads the profile in `text`; errors call it `file`.
    ///
    /// A profile without a family belongs to `defaultFamily`.
    public static func profile(
        from text: String, file: String, defaultFamily: String = "user"
    ) throws(ProfileError) -> Profile {
        guard let root = try YAMLText.compose(text, file: file), root.string != "" else {
            throw ProfileError(
                file: file, explanation: "is empty; the first line of a profile is \"name: ...\"")
        }
        let fields = try FieldReader(root, file: file, path: "", known: keys)
        let name = try name(fields)
        let family = try family(fields) ?? defaultFamily
        var conditions = LinkConditions()
        if let node = fields.node("down") {
            conditions.down = try direction(node, file: file, path: "down")
        }
        if let node = fields.node("up") {
            conditions.up = try direction(node, file: file, path: "up")
        }
        if let node = fields.node("dns") {
            conditions.dnsDelay = try dnsDelay(node, file: file)
        }
        conditions.isBlackhole = try fields.flag("blackhole")
        if let node = fields.node("middle") {
            conditions.middle = try MiddleboxReader.middlebox(node, file: file, path: "middle")
        }
        if let problem = conditions.problem {
            throw ProfileError(
                file: file, line: line(of: problem.field, in: root), field: problem.field,
                explanation: problem.explanation)
        }
        return Profile(
            name: name, family: family, aliases: try aliases(fields),
            summary: try fields.prose("summary") ?? "",
            source: try fields.prose("source") ?? "",
            interface: try fields.choice("interface", Profile.InterfaceKind.self) ?? .other,
            conditions: conditions, isExpensive: try fields.flag("expensive"),
            isConstrained: try fields.flag("constrained"))
    }

    /// Changes one field, written as on the command line: `down.loss=2%`.
    ///
    /// The caller validates the result after all changes.
    public static func apply(
        setting: String, to conditions: inout LinkConditions
    ) throws(ProfileError) {
        let option = "--set \(setting)"
        guard let separator = setting.firstIndex(of: "=") else {
            throw ProfileError(
                file: option, explanation: "has no value; write it as down.loss=2%")
        }
        let path = String(setting[..<separator])
        let value = String(setting[setting.index(after: separator)...])
        let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        if path == "middle" {
            do {
                conditions.middle = try MiddleboxReader.middlebox(
                    try valueNode(value, option), file: option, path: path)
            } catch {
                throw ProfileError(file: option, explanation: error.explanation)
            }
            return
        }
        guard parts.count == 2, ["down", "up", "dns"].contains(parts[0]) else {
            throw ProfileError(
                file: option,
                explanation: "\(path) is not a field; fields are down.\(ConditionField.keys[0]), "
                    + "up.\(ConditionField.keys[1]), dns.delay and the like "
                    + "(see linkcond show --help)")
        }
        do {
            let node = try valueNode(value, option)
            if parts[0] == "dns" {
                conditions.dnsDelay = try dnsDelay(fieldNode(parts[1], node), file: option)
            } else {
                let direction = parts[0] == "down" ? \LinkConditions.down : \.up
                try read(
                    fieldNode(parts[1], node), file: option, path: parts[0],
                    into: &conditions[keyPath: direction])
            }
        } catch {
            // A line number means nothing for an option.
            throw ProfileError(file: option, explanation: error.explanation)
        }
    }

    /// The value of an option: a mapping if in braces, anything else a scalar.
    private static func valueNode(_ value: String, _ option: String) throws(ProfileError)
        -> YAMLNode
    {
        guard value.hasPrefix("{") else { return YAMLNode(value) }
        return try YAMLText.compose(value, file: option) ?? YAMLNode("")
    }

    private static func fieldNode(_ key: String, _ value: YAMLNode) -> YAMLNode {
        .mapping(YAMLNode.Mapping([(YAMLNode(key), value)]))
    }

    static func direction(
        _ node: YAMLNode, file: String, path: String
    ) throws(ProfileError) -> DirectionConditions {
        var conditions = DirectionConditions()
        try read(node, file: file, path: path, into: &conditions)
        return conditions
    }

    private static func read(
        _ node: YAMLNode, file: String, path: String, into conditions: inout DirectionConditions
    ) throws(ProfileError) {
        let fields = try FieldReader(node, file: file, path: path, known: ConditionField.keys)
        for field in ConditionField.all { try fields.read(field, into: &conditions) }
    }

    static func dnsDelay(
        _ node: YAMLNode, file: String, path: String = "dns"
    ) throws(ProfileError) -> Duration? {
        let fields = try FieldReader(node, file: file, path: path, known: ["delay"])
        guard let delay = try fields.quantity("delay", Duration.init(parsing:)) else {
            throw fields.error("delay", "is missing; write dns: { delay: 3 s }")
        }
        return delay == .zero ? nil : delay
    }

    private static func name(_ fields: FieldReader) throws(ProfileError) -> String {
        let name = try fields.requiredText("name")
        guard !name.contains("/") else {
            throw fields.error("name", "\"\(name)\" has a slash, which parts family and name")
        }
        guard name.first?.isWhitespace == false, name.last?.isWhitespace == false else {
            throw fields.error("name", "\"\(name)\" starts or ends with a blank; leave it out")
        }
        return name
    }

    private static func family(_ fields: FieldReader) throws(ProfileError) -> String? {
        guard let family = try fields.text("family") else { return nil }
        let isWord =
            family.first?.isLetter == true && family.last != "-" && !family.contains("--")
            && family.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }
        guard isWord else {
            throw fields.error(
                "family", "\"\(family)\" is not lower-case letters, digits and single hyphens")
        }
        return family
    }

    private static func aliases(_ fields: FieldReader) throws(ProfileError) -> [String] {
        guard let node = fields.node("aliases") else { return [] }
        guard case .sequence(let sequence) = node else {
            throw fields.error("aliases", "has to be a list, such as [wifi, wlan]")
        }
        var aliases: [String] = []
        for element in sequence {
            guard let alias = element.string, !alias.isEmpty,
                !alias.contains(where: { $0 == "/" || $0.isWhitespace })
            else {
                throw fields.error(
                    "aliases", "has to be a list of words without blanks and slashes")
            }
            guard !aliases.contains(alias) else {
                throw fields.error("aliases", "\(alias) is given twice; keep one")
            }
            aliases.append(try fields.printable(alias, "aliases"))
        }
        return aliases
    }

    /// The line of the field at `path`, or of the mapping that lacks it.
    private static func line(of path: String, in root: YAMLNode) -> Int? {
        var node = root
        for key in path.split(separator: ".").map(String.init) {
            guard case .mapping(let mapping) = node, let next = mapping[key] else { break }
            node = next
        }
        return node.line
    }
}

public import LinkModel
import LinkUnits
public import Scenarios
import YAMLReading

/// Reads scenarios from YAML texts.
public struct ScenarioReader {
    private static let keys = [
        "name", "aliases", "summary", "advice", "source", "interfaces", "apps", "multipath",
        "timeline", "repeat",
    ]

    let file: String
    private let resolve: (String) throws -> Profile
    private let path: (String) -> String
    /// Profiles already looked up: a file may name one a thousand times.
    private var profiles: [String: Profile] = [:]

    /// Reads the scenario in `text`; errors call it `file`.
    ///
    /// `profile` looks up a profile by name; `path` resolves the path of a file that the scenario
    /// names.
    public static func scenario(
        from text: String, file: String, profile: @escaping (String) throws -> Profile,
        path: @escaping (String) -> String = { $0 }
    ) throws(ProfileError) -> Scenario {
        var reader = ScenarioReader(file: file, resolve: profile, path: path)
        return try reader.scenario(from: text)
    }

    private init(
        file: String, resolve: @escaping (String) throws -> Profile,
        path: @escaping (String) -> String
    ) {
        self.file = file
        self.resolve = resolve
        self.path = path
    }

    private mutating func scenario(from text: String) throws(ProfileError) -> Scenario {
        let root = try YAMLText.compose(text, file: file)
        guard let root, case .mapping = root else {
            throw ProfileError(
                file: file, line: root?.line,
                explanation: "is not a scenario; the first line of one is \"name: ...\"")
        }
        let fields = try FieldReader(root, file: file, path: "", known: Self.keys)
        guard let name = try fields.text("name") else {
            throw fields.error("name", "is missing; every scenario has one")
        }
        guard !name.contains("/") else {
            throw fields.error("name", "\"\(name)\" has a slash, which is for paths of files")
        }
        var scenario = Scenario(
            name: name, aliases: try words(fields), summary: try fields.prose("summary") ?? "",
            advice: try advice(fields), source: try fields.prose("source") ?? "",
            interfaces: try interfaces(fields), apps: try appReader.apps(fields),
            multipath: try fields.choice("multipath", MultipathMode.self) ?? .off)
        scenario.entries = try entries(fields, of: scenario)
        scenario.repetition = try repetition(fields)
        if let problem = scenario.problem {
            let key = problem.field.prefix { $0 != "." }
            throw ProfileError(
                file: file, line: problem.line ?? fields.node(String(key))?.line,
                field: problem.field, explanation: problem.explanation)
        }
        return scenario
    }

    // MARK: Head

    private func words(_ fields: FieldReader) throws(ProfileError) -> [String] {
        guard let node = fields.node("aliases") else { return [] }
        var aliases: [String] = []
        for element in node.elements.map(Array.init) ?? [node] {
            guard let alias = element.string, !alias.isEmpty,
                !alias.contains(where: { $0 == "/" || $0.isWhitespace })
            else {
                throw fields.error("aliases", "has to be a list of words, such as [lift]")
            }
            aliases.append(try fields.printable(alias, "aliases"))
        }
        return aliases
    }

    private func advice(_ fields: FieldReader) throws(ProfileError) -> [String] {
        guard let node = fields.node("advice") else { return [] }
        guard case .sequence(let sequence) = node else {
            return [try fields.prose("advice") ?? ""]
        }
        var advice: [String] = []
        for element in sequence {
            guard let text = element.string else {
                throw fields.error("advice", "has to be a list of sentences")
            }
            let sentence = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            advice.append(try fields.printable(sentence, "advice"))
        }
        return advice
    }

    private func repetition(_ fields: FieldReader) throws(ProfileError) -> Scenario.Repetition? {
        guard let node = fields.node("repeat") else { return nil }
        let inner = try FieldReader(node, file: file, path: "repeat", known: ["every", "times"])
        guard let period = try inner.quantity("every", Duration.init(parsing:)) else {
            throw inner.error("every", "is missing; write repeat: { every: 60 s, times: 3 }")
        }
        guard let text = try inner.text("times") else {
            return Scenario.Repetition(count: nil, period: period)
        }
        guard let count = Int(text) else {
            throw inner.error("times", "\"\(text)\" is not a number, such as 3")
        }
        return Scenario.Repetition(count: count, period: period)
    }

    // MARK: Interfaces

    private mutating func interfaces(
        _ fields: FieldReader
    ) throws(ProfileError) -> [ScenarioInterface] {
        guard let node = fields.node("interfaces") else { return [] }
        guard case .mapping(let mapping) = node else {
            throw fields.error(
                "interfaces", "has to be a list of names, such as { wifi0: { profile: WiFi } }")
        }
        var interfaces: [ScenarioInterface] = []
        for (key, value) in mapping {
            let name = try fields.printable(key.string ?? "", "interfaces")
            interfaces.append(try interface(name, value, line: key.line))
        }
        return interfaces
    }

    private mutating func interface(
        _ name: String, _ node: YAMLNode, line: Int?
    ) throws(ProfileError) -> ScenarioInterface {
        let fields = try FieldReader(
            node, file: file, path: "interfaces.\(name)",
            known: [
                "profile", "set", "middle", "kind", "expensive", "constrained", "present",
                "connections",
            ])
        guard var profile = try profile(fields) else {
            throw fields.error("profile", "is missing; write profile: LTE")
        }
        let change = try change(fields)
        profile.conditions = change.applied(to: profile.conditions)
        return ScenarioInterface(
            name: name, profile: profile, settings: change.settings,
            override: try override(fields),
            isPresent: try fields.flagIfGiven("present") ?? true,
            connections: try fields.choice("connections", ScenarioInterface.Connections.self)
                ?? .end, line: line)
    }

    // MARK: Shared by interfaces and entries

    /// Reads apps and how they are started.
    var appReader: AppReader { AppReader(file: file) }

    /// The profile under `profile`, if there is one.
    mutating func profile(_ fields: FieldReader) throws(ProfileError) -> Profile? {
        guard let name = try fields.text("profile") else { return nil }
        if let known = profiles[name] { return known }
        do {
            let profile = try resolve(name)
            profiles[name] = profile
            return profile
        } catch {
            throw fields.error("profile", "\(error)")
        }
    }

    /// The fields under `set` and `middle`, if there are any.
    func change(_ fields: FieldReader) throws(ProfileError) -> ConditionsChange {
        var change = ConditionsChange()
        if let node = fields.node("set") {
            (change.values, change.settings) = try ProfileReader.settings(
                node, file: file, path: fields.fieldPath("set"))
            change.values.down.trace = change.values.down.trace.map(path)
            change.values.up.trace = change.values.up.trace.map(path)
        }
        if let node = fields.node("middle") {
            let middle = try MiddleboxReader.middlebox(
                node, file: file, path: fields.fieldPath("middle"))
            change.values.middle = middle
            change.settings.append(
                ConditionSetting(path: "middle", value: middle?.text ?? Middlebox.none))
        }
        return change
    }

    /// The override from `kind`, `expensive` and `constrained`.
    func override(_ fields: FieldReader) throws(ProfileError) -> InterfaceOverride {
        let kind = try fields.choice("kind", Profile.InterfaceKind.self)
        return InterfaceOverride(
            cost: try fields.flagIfGiven("expensive").map { $0 ? .expensive : .inexpensive },
            lowData: try fields.flagIfGiven("constrained").map { $0 ? .on : .off },
            kind: kind.flatMap { InterfaceOverride.Kind(rawValue: $0.rawValue) })
    }

    // MARK: Timeline

    private mutating func entries(
        _ fields: FieldReader, of scenario: Scenario
    ) throws(ProfileError) -> [ScenarioEntry] {
        guard let node = fields.node("timeline") else { return [] }
        guard case .sequence(let sequence) = node else {
            throw fields.error(
                "timeline", "has to be a list, such as - { at: 5 s, interface: wifi0, down: true }")
        }
        var entries: [ScenarioEntry] = []
        for node in sequence {
            guard case .mapping(let mapping) = node else {
                throw ProfileError(
                    file: file, line: node.line, field: "timeline",
                    explanation: "an entry is a list of fields, such as "
                        + "{ at: 5 s, interface: wifi0, down: true }")
            }
            let entryFields = try FieldReader(
                node, file: file, path: "", known: EntryReader.keys)
            let entry = EntryReader(
                fields: entryFields, interfaces: scenario.interfaces.map(\.name),
                devices: scenario.apps.map(\.name), line: mapping.firstLine)
            entries.append(try entry.read(&self))
        }
        return entries
    }
}

extension YAMLNode.Mapping {
    /// The line of its first key; the mapping's own line may be that of the preceding text.
    fileprivate var firstLine: Int? { first?.key.line ?? line }
}

extension FieldReader {
    /// The flag under `key`; nil if absent.
    func flagIfGiven(_ key: String) throws(ProfileError) -> Bool? {
        try node(key) == nil ? nil : flag(key)
    }
}

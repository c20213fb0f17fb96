import LinkModel
import LinkUnits
import ProfileFormat
import YAMLReading

/// Reads the keys of `linkcond.yaml`, each error with its line.
struct MatrixFileReader {
    static let keys =
        [
            "command", "profiles", "family", "scenarios", "baseline", "repeat", "jobs", "timeout",
            "retries", "retry-unfaithful", "fail-fast", "seed", "env", "expect", "trust-exit-code",
            "report", "set",
            "servers", "server-ready", "server-stop", "drain", "faithful", "uplink", "backend",
            "loopback",
            "override",
        ] + overrideKeys
    static let overrideKeys = ["expensive", "constrained", "cost", "low-data", "kind"]
    static let uplinks = ["auto", "none", "relay", "pasta", "slirp", "veth"]

    let fields: FieldReader
    let names: any MatrixNames
    /// The names in `profiles`, by profile identifier.
    var profiles: [String: String] = [:]

    init(fields: FieldReader, names: some MatrixNames) {
        self.fields = fields
        self.names = names
    }

    /// Reads everything that does not depend on profiles.
    func read(into file: inout MatrixFile) throws(ProfileError) {
        file.command = try command()
        file.repetitions = try number("repeat", in: 1...MatrixSpecification.mostCells)
        file.jobs = try number("jobs", in: 1...MatrixSpecification.mostJobs)
        file.retries = try number("retries", in: 0...MatrixSpecification.mostRetries)
        file.unfaithfulRetry = try choice("retry-unfaithful", fields)
        file.seed = try number("seed", in: 0...Int.max).map(UInt64.init)
        if fields.node("fail-fast") != nil { file.isFailFast = try fields.flag("fail-fast") }
        if fields.node("trust-exit-code") != nil {
            file.trustsExitCode = try fields.flag("trust-exit-code")
        }
        if fields.node("baseline") != nil { file.hasBaseline = try fields.flag("baseline") }
        file.environment = try environment()
        file.report = try fields.text("report")
        file.network.settings = try settings(of: file.profiles ?? [])
        file.network.servers = try texts("servers", example: "[python3 -m http.server 8000]")
        for text in try texts("server-ready", example: "[8000]") {
            guard let port = ServerPort(text) else {
                throw fields.error(
                    "server-ready", "\"\(text)\" is not a port, such as 8000 or 4433/udp")
            }
            file.network.serverPorts.append(port)
        }
        file.network.serverStop = try fields.quantity(
            "server-stop", Duration.init(parsing:))?.tcText
        file.network.drain = try fields.quantity("drain", Duration.init(parsing:))?.tcText
        file.network.faithful = try fields.quantity(
            "faithful", Duration.init(parsing:))?.tcText
        file.network.uplink = try choice("uplink", Self.uplinks) ?? "auto"
        file.network.backend =
            try choice("backend", Backend.allCases.map(\.rawValue)).flatMap(Backend.init) ?? .auto
        file.network.conditionsLoopback = try fields.flag("loopback")
        file.network.override = try override(fields)
    }

    // MARK: Values

    private func command() throws(ProfileError) -> [String]? {
        guard let node = fields.node("command") else { return nil }
        if case .sequence = node { return try texts("command", example: "[npm, test]") }
        // As typed in a shell, possibly on several lines.
        guard let text = node.string, text.contains("\n") else {
            return ["/bin/sh", "-c", try fields.text("command") ?? ""]
        }
        _ = try fields.printable(text.filter { !"\n\t".contains($0) }, "command")
        return ["/bin/sh", "-c", text]
    }

    private func environment() throws(ProfileError) -> [String: String] {
        guard let node = fields.node("env") else { return [:] }
        var variables: [String: String] = [:]
        for (key, value) in try mapping(node, "env", example: "{ CI: \"1\" }") {
            guard let name = key.string, !name.isEmpty, !name.contains("="), !name.contains("\0"),
                let text = value.string, !text.contains("\0")
            else {
                throw error(key, "env", "has to be a list of names with a text each")
            }
            variables[name] = text
        }
        return variables
    }

    /// - Parameter profiles: Those that they are about.
    func expectations(
        _ node: YAMLNode, _ path: String, of profiles: [String]
    ) throws(ProfileError) -> Expectations {
        let reader = try FieldReader(
            node, file: fields.file, path: path, known: Expectations.keys)
        return Expectations(
            exit: try reader.quantity("exit", ExitExpectation.init(parsing:)),
            duration: try reader.quantity("duration", DurationExpectation.init(parsing:)),
            transferred: try reader.quantity("transferred", TransferExpectation.init(parsing:)),
            requests: try reader.quantity("requests", RequestExpectation.init(parsing:)),
            survives: try survives(
                reader.node("survives"), path + ".survives", of: profiles))
    }

    /// Fields and values that make sense for the profiles.
    private func survives(
        _ node: YAMLNode?, _ path: String, of profiles: [String]
    ) throws(ProfileError) -> [String: String]? {
        guard let node else { return nil }
        let example = "{ down.bandwidth: 300 kbit/s }"
        var values: [String: String] = [:]
        for (key, value) in try mapping(node, path, example: example) {
            guard let field = key.string, let text = value.string, !field.contains("=") else {
                throw error(
                    key, path, "has to be a list of fields with a value each, such as \(example)")
            }
            do {
                try names.check(settings: CellVariant.settings(field, text), of: profiles)
            } catch {
                throw self.error(key, "\(path).\(field)", "\(error)")
            }
            values[field] = text
        }
        guard !values.isEmpty else { throw error(node, path, "is empty; write \(example)") }
        return values
    }

    /// The override of the command's interface, in the words of the options of `linkcond run`.
    func override(_ reader: FieldReader) throws(ProfileError) -> InterfaceOverride {
        InterfaceOverride(
            cost: try value("cost", reader, flag: "expensive", on: .expensive, off: .inexpensive),
            lowData: try value("low-data", reader, flag: "constrained", on: .on, off: .off),
            kind: try choice("kind", reader))
    }

    /// The choice under `key`, which may also be written as a flag.
    private func value<Choice: RawRepresentable & CaseIterable>(
        _ key: String, _ reader: FieldReader, flag: String, on: Choice, off: Choice
    ) throws(ProfileError) -> Choice? where Choice.RawValue == String {
        let value: Choice? = try choice(key, reader)
        guard reader.node(flag) != nil else { return value }
        guard value == nil else {
            throw reader.error(flag, "says the same as \(key); leave one out")
        }
        return try reader.flag(flag) ? on : off
    }

    private func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, _ reader: FieldReader
    ) throws(ProfileError) -> Choice? where Choice.RawValue == String {
        try choice(key, Choice.allCases.map(\.rawValue), reader).flatMap { Choice(rawValue: $0) }
    }

    func duration(_ node: YAMLNode, _ path: String) throws(ProfileError) -> Duration {
        guard let text = node.string else {
            throw error(node, path, "has to be a time, such as 5 min")
        }
        do {
            return try Duration(parsing: text)
        } catch {
            throw self.error(node, path, error.description)
        }
    }

    private func number(
        _ key: String, in range: ClosedRange<Int>
    ) throws(ProfileError) -> Int? {
        guard let text = try fields.text(key) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw fields.error(
                key,
                "\"\(text)\" is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func choice(
        _ key: String, _ choices: [String], _ reader: FieldReader? = nil
    ) throws(ProfileError) -> String? {
        let reader = reader ?? fields
        guard let text = try reader.text(key) else { return nil }
        guard choices.contains(text) else {
            throw reader.error(
                key, "\"\(text)\" is not one of \(choices.joined(separator: ", "))")
        }
        return text
    }

    /// Changes of the profiles, which have to make sense for each of them.
    private func settings(of profiles: [String]) throws(ProfileError) -> [String] {
        var settings: [String] = []
        for (node, text) in try elements("set", example: "[down.loss=2%]") {
            settings.append(text)
            do {
                try names.check(settings: settings, of: profiles)
            } catch {
                throw self.error(node, "set", "\(error)")
            }
        }
        return settings
    }

    private func texts(_ key: String, example: String) throws(ProfileError) -> [String] {
        try elements(key, example: example).map(\.text)
    }

    /// A list of texts, or a single text.
    func elements(
        _ key: String, example: String
    ) throws(ProfileError) -> [(node: YAMLNode, text: String)] {
        guard let node = fields.node(key) else { return [] }
        if case .scalar = node { return [(node, try fields.text(key) ?? "")] }
        guard case .sequence(let sequence) = node, !sequence.isEmpty else {
            throw fields.error(key, "has to be a list, such as \(example)")
        }
        var elements: [(YAMLNode, String)] = []
        for element in sequence {
            guard let text = element.string, !text.contains("\0") else {
                throw error(element, key, "has to be a list of texts, such as \(example)")
            }
            elements.append((element, text))
        }
        return elements
    }

    func mapping(
        _ node: YAMLNode, _ path: String, example: String
    ) throws(ProfileError) -> YAMLNode.Mapping {
        guard case .mapping(let mapping) = node else {
            throw error(node, path, "has to be a list of fields, such as \(example)")
        }
        return mapping
    }

    func error(_ node: YAMLNode, _ path: String, _ explanation: String) -> ProfileError {
        ProfileError(
            file: fields.file, line: node.line, field: path, explanation: explanation)
    }
}

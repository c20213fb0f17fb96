import LinkModel
import LinkUnits
import ProfileFormat
import Yams

/// Reads the keys of `linkcond.yaml`, each error with its line.
struct MatrixFileReader {
    static let keys =
        [
            "command", "profiles", "baseline", "repeat", "jobs", "timeout", "retries",
            "retry-unfaithful", "fail-fast", "seed", "env", "expect", "trust-exit-code", "set",
            "servers", "server-ready", "server-stop", "drain", "uplink", "backend", "loopback",
            "override",
        ] + overrideKeys
    static let overrideKeys = ["expensive", "constrained", "cost", "low-data", "kind"]
    static let uplinks = ["auto", "none", "relay", "pasta", "slirp", "veth"]

    let fields: FieldReader
    /// The names in `profiles`, by profile identifier.
    private var names: [String: String] = [:]

    init(fields: FieldReader) {
        self.fields = fields
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
        file.network.settings = try texts("set", example: "[down.loss=2%]")
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
        file.network.uplink = try choice("uplink", Self.uplinks) ?? "auto"
        file.network.backend =
            try choice("backend", Backend.allCases.map(\.rawValue)).flatMap(Backend.init) ?? .auto
        file.network.conditionsLoopback = try fields.flag("loopback")
        file.network.override = try override(fields)
    }

    /// Reads the profiles; the baseline among them is treated specially.
    mutating func readProfiles(
        into file: inout MatrixFile, _ profileID: (String) throws -> String
    ) throws(ProfileError) {
        guard let node = fields.node("profiles") else { return }
        guard case .sequence(let sequence) = node else {
            throw fields.error("profiles", "has to be a list, such as [LTE, 3G]")
        }
        guard !sequence.isEmpty else {
            throw fields.error("profiles", "is empty; name some, such as [LTE, 3G]")
        }
        var profiles: [String] = []
        for element in sequence {
            guard let name = element.string, !name.isEmpty else {
                throw error(element, "profiles", "has to be a list of names, such as [LTE, 3G]")
            }
            let id = try resolve(name, element, "profiles", profileID)
            guard names.updateValue(name, forKey: id) == nil else {
                throw error(element, "profiles", "\(name) is given twice; keep one")
            }
            if NameMatching.normalized(name) == MatrixSpecification.baseline {
                names[id] = MatrixSpecification.baseline
                file.hasBaseline = true
            } else {
                profiles.append(name)
            }
        }
        file.profiles = profiles
    }

    /// Reads the settings of single profiles.
    func readByProfile(
        into file: inout MatrixFile, _ profileID: (String) throws -> String
    ) throws(ProfileError) {
        if let node = fields.node("expect") {
            for (key, value) in try mapping(node, "expect", example: "{ 3G: { exit: nonzero } }") {
                let name = try name(key, "expect", profileID)
                file.expectations[name] = try expectations(value, "expect.\(name)")
            }
        }
        if let node = fields.node("override") {
            let example = "{ 3G: { constrained: true } }"
            for (key, value) in try mapping(node, "override", example: example) {
                let name = try name(key, "override", profileID)
                file.network.overrides[name] = try override(
                    FieldReader(
                        value, file: fields.file, path: "override.\(name)",
                        known: Self.overrideKeys))
            }
        }
        guard let node = fields.node("timeout") else { return }
        guard case .mapping = node else {
            file.timeLimit = try fields.quantity("timeout", Duration.init(parsing:))
            return
        }
        for (key, value) in try mapping(node, "timeout", example: "5 min") {
            let limit = try duration(value, "timeout.\(key.string ?? "")")
            if key.string == "default" {
                file.timeLimit = limit
            } else {
                file.timeLimits[try name(key, "timeout", profileID)] = limit
            }
        }
    }

    // MARK: Values

    private func command() throws(ProfileError) -> [String]? {
        guard let node = fields.node("command") else { return nil }
        if case .sequence = node { return try texts("command", example: "[npm, test]") }
        // As typed in a shell, possibly on several lines.
        guard let text = node.scalar?.string, text.contains("\n") else {
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
                let text = value.scalar?.string, !text.contains("\0")
            else {
                throw error(key, "env", "has to be a list of names with a text each")
            }
            variables[name] = text
        }
        return variables
    }

    private func expectations(
        _ node: Node, _ path: String
    ) throws(ProfileError) -> Expectations {
        let reader = try FieldReader(
            node, file: fields.file, path: path, known: Expectations.keys)
        return Expectations(
            exit: try reader.quantity("exit", ExitExpectation.init(parsing:)),
            duration: try reader.quantity("duration", DurationExpectation.init(parsing:)),
            transferred: try reader.quantity("transferred", TransferExpectation.init(parsing:)),
            requests: try reader.quantity("requests", RequestExpectation.init(parsing:)))
    }

    /// The override of the command's interface, in the words of the options of `linkcond run`.
    private func override(_ reader: FieldReader) throws(ProfileError) -> InterfaceOverride {
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

    private func duration(_ node: Node, _ path: String) throws(ProfileError) -> Duration {
        guard let text = node.scalar?.string else {
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

    /// A list of texts, or a single text.
    private func texts(_ key: String, example: String) throws(ProfileError) -> [String] {
        guard let node = fields.node(key) else { return [] }
        if case .scalar = node { return [try fields.text(key) ?? ""] }
        guard case .sequence(let sequence) = node, !sequence.isEmpty else {
            throw fields.error(key, "has to be a list, such as \(example)")
        }
        var texts: [String] = []
        for element in sequence {
            guard let text = element.scalar?.string, !text.contains("\0") else {
                throw error(element, key, "has to be a list of texts, such as \(example)")
            }
            texts.append(text)
        }
        return texts
    }

    private func mapping(
        _ node: Node, _ path: String, example: String
    ) throws(ProfileError) -> Node.Mapping {
        guard case .mapping(let mapping) = node else {
            throw error(node, path, "has to be a list of fields, such as \(example)")
        }
        return mapping
    }

    // MARK: Names of profiles

    /// The name in `profiles` of the profile that `key` refers to.
    private func name(
        _ key: Node, _ path: String, _ profileID: (String) throws -> String
    ) throws(ProfileError) -> String {
        guard let name = key.string else {
            throw error(key, path, "a key has to be the name of a profile")
        }
        let id = try resolve(name, key, path, profileID)
        if NameMatching.normalized(name) == MatrixSpecification.baseline {
            return MatrixSpecification.baseline
        }
        guard fields.node("profiles") != nil else { return name }
        guard let known = names[id] else {
            throw error(key, "\(path).\(name)", "is not among the profiles of this file")
        }
        return known
    }

    private func resolve(
        _ name: String, _ node: Node, _ path: String, _ profileID: (String) throws -> String
    ) throws(ProfileError) -> String {
        do {
            return try profileID(name)
        } catch {
            throw self.error(node, path, "\(error)")
        }
    }

    private func error(_ node: Node, _ path: String, _ explanation: String) -> ProfileError {
        ProfileError(
            file: fields.file, line: node.mark?.line, field: path, explanation: explanation)
    }
}

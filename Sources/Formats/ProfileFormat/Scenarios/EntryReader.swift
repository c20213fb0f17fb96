import LinkModel
import LinkUnits
import Scenarios
import YAMLReading

/// Reads one entry of a timeline.
struct EntryReader {
    static let keys = [
        "at", "every", "from", "until", "for", "limit", "interface", "profile", "set", "middle",
        "over", "down", "up",
        "expensive", "constrained", "kind", "appear", "vanish", "prefer", "device", "app",
        "exec", "expect",
    ]
    /// The keys of actions on the interface that `interface` names.
    private static let interfaceKeys = [
        "profile", "set", "middle", "down", "up", "expensive", "constrained", "kind",
    ]

    let fields: FieldReader
    /// The names of the scenario's interfaces.
    let interfaces: [String]
    /// The names of its devices; empty if it has no apps of its own.
    let devices: [String]
    let line: Int?

    func read(_ reader: inout ScenarioReader) throws(ProfileError) -> ScenarioEntry {
        let schedule = try schedule()
        var actions: [ScenarioAction] = []
        if let name = try fields.text("appear") {
            actions.append(.presence(interface: name, isPresent: true))
        }
        actions += try interfaceActions(&reader)
        if let name = try fields.text("prefer") { actions.append(.prefer(interface: name)) }
        if let name = try fields.text("vanish") {
            actions.append(.presence(interface: name, isPresent: false))
        }
        if let action = try appAction(reader) { actions.append(.app(action)) }
        if let command = try command("exec", of: fields) { actions.append(.execute(command)) }
        if let expectation = try expectation() { actions.append(.expect(expectation)) }
        guard !actions.isEmpty else {
            let keys = Self.keys.drop { $0 != "profile" }.filter { $0 != "over" && $0 != "device" }
            throw error(
                "",
                "nothing happens in this entry; say one of \(keys.joined(separator: ", "))")
        }
        return ScenarioEntry(
            schedule: schedule, device: try device(), actions: actions,
            length: try fields.quantity("for", Duration.init(parsing:)), limit: try limit(),
            line: line)
    }

    private func error(_ field: String, _ explanation: String) -> ProfileError {
        ProfileError(file: fields.file, line: line, field: field, explanation: explanation)
    }

    // MARK: Schedule

    private func schedule() throws(ProfileError) -> ScenarioEntry.Schedule {
        guard let period = try fields.quantity("every", Duration.init(parsing:)) else {
            for key in ["from", "until"] where fields.node(key) != nil {
                throw fields.error(key, "belongs to every; write every: 15 s as well, or at")
            }
            guard let text = try fields.text("at") else {
                throw error("at", "is missing; write at: 5 s, or every: 15 s")
            }
            return text == "end" ? .atEnd : try moment(text)
        }
        guard fields.node("at") == nil else {
            throw fields.error(
                "at", "and every contradict each other; write from: for the first time")
        }
        return .every(
            period, from: try fields.quantity("from", Duration.init(parsing:)) ?? .zero,
            until: try fields.quantity("until", Duration.init(parsing:)))
    }

    /// `5 s` or `5 s ± 2 s`.
    private func moment(_ text: String) throws(ProfileError) -> ScenarioEntry.Schedule {
        for separator in ["±", "+-", "+/-"] {
            let parts = text.split(separator: separator, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            return .once(at: try time(String(parts[0])), spread: try time(String(parts[1])))
        }
        return .once(at: try time(text), spread: .zero)
    }

    private func time(_ text: String) throws(ProfileError) -> Duration {
        do {
            return try Duration(parsing: text)
        } catch {
            throw fields.error("at", error)
        }
    }

    private func limit() throws(ProfileError) -> VolumeLimit? {
        guard let volume = try fields.quantity("limit", ByteCount.init(parsing:)) else {
            return nil
        }
        return VolumeLimit(interface: try interface(for: "limit"), volume: volume)
    }

    // MARK: Actions

    /// The interface named in the entry.
    private func interface(for key: String) throws(ProfileError) -> String {
        // A scenario with one interface need not name it.
        let only = interfaces.count == 1 ? interfaces.first : nil
        guard let name = try fields.text("interface") ?? only else {
            throw fields.error(
                key, "which interface? write interface: \(interfaces.first ?? "wifi0")")
        }
        return name
    }

    private func interfaceActions(
        _ reader: inout ScenarioReader
    ) throws(ProfileError) -> [ScenarioAction] {
        let keys = Self.interfaceKeys.filter { fields.node($0) != nil }
        guard let key = keys.first else {
            let names = fields.node("limit") == nil ? ["interface", "over"] : ["over"]
            for key in names where fields.node(key) != nil {
                throw fields.error(
                    key,
                    "does nothing by itself; say one of "
                        + Self.interfaceKeys.joined(separator: ", "))
            }
            return []
        }
        let name = try interface(for: key)
        var actions: [ScenarioAction] = []
        if let change = try change(&reader) {
            let over = try fields.quantity("over", Duration.init(parsing:)) ?? .zero
            actions.append(.change(interface: name, change, over: over))
        } else if fields.node("over") != nil {
            throw fields.error("over", "belongs to profile or set, which change evenly")
        }
        if let isUp = try isUp() { actions.append(.carrier(interface: name, isUp: isUp)) }
        let override = try reader.override(fields)
        if override != InterfaceOverride() {
            actions.append(.override(interface: name, override))
        }
        return actions
    }

    private func change(_ reader: inout ScenarioReader) throws(ProfileError) -> ConditionsChange? {
        var change = try reader.change(fields)
        change.profile = try reader.profile(fields)
        return change == ConditionsChange() ? nil : change
    }

    private func isUp() throws(ProfileError) -> Bool? {
        for (key, opposite) in [("down", "up"), ("up", "down")] {
            guard let flag = try fields.flagIfGiven(key) else { continue }
            guard flag else {
                throw fields.error(key, "is always true; write \(opposite): true")
            }
            guard fields.node(opposite) == nil else {
                throw fields.error(key, "and \(opposite) contradict each other; leave one out")
            }
            return key == "up"
        }
        return nil
    }

    /// The device of the actions on an app, commands and expectations.
    private func device() throws(ProfileError) -> String? {
        let keys = ["app", "exec", "expect"]
        let named = try fields.text("device")
        guard let key = keys.first(where: { fields.node($0) != nil }) else {
            guard named == nil else {
                throw fields.error("device", "belongs to \(keys.joined(separator: ", "))")
            }
            return nil
        }
        // A scenario with one device need not name it.
        guard named == nil, devices.count > 1 else { return named ?? devices.first }
        throw fields.error(key, "on which device? write device: \(devices[0])")
    }

    private func appAction(_ reader: ScenarioReader) throws(ProfileError) -> AppAction? {
        guard let node = fields.node("app") else { return nil }
        guard case .scalar = node else {
            let inner = try FieldReader(
                node, file: fields.file, path: "app", known: ["signal", "relaunch"])
            if let options = inner.node("relaunch") {
                guard inner.node("signal") == nil else {
                    throw inner.error("signal", "and relaunch are two actions; write two entries")
                }
                return .relaunch(try reader.appReader.relaunch(options))
            }
            guard let name = try inner.text("signal") else {
                throw inner.error("signal", "is missing; write app: { signal: USR1 }")
            }
            let short = name.hasPrefix("SIG") ? String(name.dropFirst(3)) : name
            guard let signal = AppAction.signals.first(where: { $0.name == short }) else {
                let names = AppAction.signals.map(\.name).joined(separator: ", ")
                throw inner.error("signal", "\"\(name)\" is not one of \(names)")
            }
            return .signal(signal.number)
        }
        switch try fields.text("app") {
        case "suspend": return .suspend
        case "resume": return .resume
        case "terminate": return .terminate
        case "relaunch": return .relaunch()
        case let text:
            throw fields.error(
                "app",
                "\"\(text ?? "")\" is not one of suspend, resume, terminate, relaunch, "
                    + "{ signal: USR1 }")
        }
    }

    /// A shell command, which may have several lines.
    private func command(_ key: String, of fields: FieldReader) throws(ProfileError) -> String? {
        guard let node = fields.node(key) else { return nil }
        guard case .scalar(let scalar) = node, !scalar.string.isEmpty else {
            throw fields.error(key, "has to be a command of the shell")
        }
        for line in scalar.string.split(separator: "\n") {
            _ = try fields.printable(String(line), key)
        }
        return scalar.string
    }

    private func expectation() throws(ProfileError) -> Expectation? {
        guard let node = fields.node("expect") else { return nil }
        let inner = try FieldReader(
            node, file: fields.file, path: "expect",
            known: [
                "status", "isExpensive", "isConstrained", "interface", "exit", "command", "within",
            ])
        var expectation = Expectation(
            status: try inner.choice("status", Expectation.PathStatus.self),
            isExpensive: try inner.flagIfGiven("isExpensive"),
            isConstrained: try inner.flagIfGiven("isConstrained"),
            interface: try inner.text("interface"), exit: try exit(inner))
        let limit = try inner.quantity("within", Duration.init(parsing:))
        if let command = try command("command", of: inner) {
            expectation.command = .init(text: command, limit: limit ?? .zero)
        } else if limit != nil {
            throw inner.error("within", "belongs to command, which is tried that long")
        }
        return expectation
    }

    private func exit(_ inner: FieldReader) throws(ProfileError) -> Expectation.Exit? {
        switch try inner.text("exit") {
        case nil: return nil
        case "zero": return .code(0)
        case "nonzero": return .nonzero
        case let text?:
            guard let code = UInt8(text) else {
                throw inner.error(
                    "exit",
                    "\"\(text)\" is not an exit code; write zero, nonzero or a number up to 255")
            }
            return .code(Int32(code))
        }
    }
}

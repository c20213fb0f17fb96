import LinkModel
import LinkUnits
import ProfileFormat
import YAMLReading

/// Reads the keys of `gateway.yaml`, each error with its line.
struct GatewayFileReader {
    static let keys = ["default", "profiles", "page", "devices", "wifi"]
    static let deviceKeys = ["profile", "set", "for", "schedule", "expensive", "choose"]
    static let entryKeys = ["from", "until", "days", "profile", "set"]
    static let wifiKeys = ["name", "passphrase"]

    let fields: FieldReader

    func read() throws(ProfileError) -> GatewayFile {
        var file = GatewayFile()
        if let node = fields.node("default") {
            file.configuration.standard = try choice(node, "default")
        }
        for node in try elements("profiles", fields, example: "[LTE, 3G]") {
            file.configuration.offers.append(try choice(node, fields.fieldPath("profiles")))
        }
        if fields.node("page") != nil { file.configuration.hasPage = try fields.flag("page") }
        if let node = fields.node("wifi") {
            let inner = try FieldReader(node, file: fields.file, path: "wifi", known: Self.wifiKeys)
            guard let name = try inner.text("name") else {
                throw inner.error("name", "is missing; it is the name of the Wi-Fi network")
            }
            file.wifi = (name, try inner.text("passphrase"))
        }
        file.configuration.entries = try devices()
        return file
    }

    private func devices() throws(ProfileError) -> [GatewayConfiguration.Entry] {
        guard let node = fields.node("devices") else { return [] }
        guard case .mapping(let mapping) = node else {
            throw error(node, "devices", "has to be a list of devices, such as { my-phone: 3G }")
        }
        var entries: [GatewayConfiguration.Entry] = []
        var lines: [DeviceKey: Int] = [:]
        for (key, value) in mapping {
            guard let name = key.string, !name.isEmpty,
                name.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7f })
            else {
                throw error(
                    key, "devices",
                    "a device is a name, a hardware address or an IP address without blanks")
            }
            let device = DeviceKey(name)
            if let line = lines[device] {
                throw error(key, "devices.\(name)", "is the device of line \(line); keep one")
            }
            lines[device] = key.line
            entries.append(
                GatewayConfiguration.Entry(device, try settings(value, "devices.\(name)")))
        }
        return entries
    }

    private func settings(
        _ node: YAMLNode, _ path: String
    ) throws(ProfileError) -> DeviceSettings {
        var settings = DeviceSettings()
        if case .scalar = node {
            settings.choice = try choice(node, path)
            return settings
        }
        let reader = try FieldReader(node, file: fields.file, path: path, known: Self.deviceKeys)
        settings.choice = try choice(in: reader)
        settings.limit = try reader.quantity("for", Duration.init(parsing:))
        guard settings.limit == nil || settings.choice != nil else {
            throw reader.error("for", "needs a profile, whose time it limits")
        }
        if reader.node("expensive") != nil { settings.isExpensive = try reader.flag("expensive") }
        if reader.node("choose") != nil { settings.mayChoose = try reader.flag("choose") }
        let example = "- { from: \"22:00\", until: \"07:00\", profile: 100% Loss }"
        for entry in try elements("schedule", reader, example: example) {
            settings.schedule.append(try self.entry(entry, reader.fieldPath("schedule")))
        }
        return settings
    }

    private func entry(_ node: YAMLNode, _ path: String) throws(ProfileError) -> ScheduleEntry {
        let reader = try FieldReader(node, file: fields.file, path: path, known: Self.entryKeys)
        guard let choice = try choice(in: reader) else {
            throw reader.error("profile", "is missing; an entry says what the device gets")
        }
        return ScheduleEntry(
            from: try time("from", reader), until: try time("until", reader),
            days: try days(reader), choice: choice)
    }

    private func time(_ key: String, _ reader: FieldReader) throws(ProfileError) -> TimeOfDay {
        guard let text = try reader.text(key) else {
            throw reader.error(key, "is missing; write a time of day, such as 22:00")
        }
        guard let time = TimeOfDay(text) else {
            throw reader.error(key, "\"\(text)\" is no time of day, such as 07:00 or 22:30")
        }
        return time
    }

    private func days(_ reader: FieldReader) throws(ProfileError) -> Set<Weekday> {
        let names = Weekday.allCases.map(\.rawValue).joined(separator: ", ")
        var days: Set<Weekday> = []
        for node in try elements("days", reader, example: "[mon, tue]") {
            guard let text = node.string, let day = Weekday(rawValue: text.lowercased()) else {
                throw error(
                    node, reader.fieldPath("days"),
                    "\"\(node.string ?? "")\" is no day; there are \(names)")
            }
            days.insert(day)
        }
        return days.isEmpty ? Set(Weekday.allCases) : days
    }

    // MARK: Choices

    /// The profile and its changes in a mapping; nil if there is none.
    private func choice(in reader: FieldReader) throws(ProfileError) -> NetworkChoice? {
        var settings: [String] = []
        for node in try elements("set", reader, example: "[down.loss=2%]") {
            guard let text = node.string else {
                throw error(node, reader.fieldPath("set"), "has to be a text such as down.loss=2%")
            }
            settings.append(text)
        }
        guard let node = reader.node("profile") else {
            guard settings.isEmpty else {
                throw reader.error("set", "needs a profile, which it changes")
            }
            return nil
        }
        // With the settings of a list one of which is wrong, the line of the list is as good.
        do {
            return try NetworkChoice.named(
                try reader.text("profile") ?? "", settings: settings)
        } catch let error as ProfileError {
            throw error
        } catch {
            throw self.error(node, reader.fieldPath("profile"), "\(error)")
        }
    }

    private func choice(_ node: YAMLNode, _ path: String) throws(ProfileError) -> NetworkChoice {
        guard let name = node.string, !name.isEmpty else {
            throw error(node, path, "has to be the name of a profile, or none")
        }
        do {
            return try NetworkChoice.named(name)
        } catch {
            throw self.error(node, path, "\(error)")
        }
    }

    /// The elements of a list, or a single value.
    private func elements(
        _ key: String, _ reader: FieldReader, example: String
    ) throws(ProfileError) -> [YAMLNode] {
        guard let node = reader.node(key) else { return [] }
        switch node {
        case .sequence(let sequence) where !sequence.isEmpty: return Array(sequence)
        case .scalar(let scalar) where !scalar.string.isEmpty: return [node]
        default: throw reader.error(key, "has to be a list, such as \(example)")
        }
    }

    private func error(_ node: YAMLNode, _ path: String, _ explanation: String) -> ProfileError {
        ProfileError(
            file: fields.file, line: node.line, field: path, explanation: explanation)
    }
}

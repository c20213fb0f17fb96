/// One changed field of conditions, as in `--set` and scenarios.
public struct ConditionSetting: Sendable, Hashable {
    /// The path of the field, such as `down.delay`.
    public let path: String
    /// Its value for people.
    public let value: String

    /// Makes a setting.
    public init(path: String, value: String) {
        self.path = path
        self.value = value
    }

    /// `down.delay=180 ms`
    public var text: String { "\(path)=\(value)" }
}

extension LinkConditions {
    /// Copies the fields that `settings` name from `values`.
    public mutating func copy(_ settings: [ConditionSetting], from values: LinkConditions) {
        let paths = Set(settings.map(\.path))
        // In field order, since some fields need earlier ones.
        for field in ConditionField.all {
            if paths.contains("down.\(field.key)") { field.copy(values.down, &down) }
            if paths.contains("up.\(field.key)") { field.copy(values.up, &up) }
        }
        if paths.contains("dns.delay") { dnsDelay = values.dnsDelay }
        if paths.contains("blackhole") { isBlackhole = values.isBlackhole }
        if paths.contains("middle") { middle = values.middle }
    }
}

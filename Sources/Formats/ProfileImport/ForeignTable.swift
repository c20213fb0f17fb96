import LinkUnits
import ProfileFormat

/// Hands out the fields of a table one by one, with a location for each error, and tracks the rest.
struct ForeignTable {
    let file: String
    /// The path of keys to this table, such as `Profiles.LTE`; empty for the whole file.
    let path: String
    private var values: [String: ForeignValue]
    private let lines: [String: Int]
    /// The number of fields taken that describe the link.
    private(set) var conditionCount = 0

    /// Reads `value` as the table at `path`.
    init(_ value: ForeignValue, file: String, path: String = "") throws(ProfileError) {
        guard case .table(let values) = value else {
            throw ProfileError(
                file: file, field: path, explanation: "is \(value.kind) and has to be a table")
        }
        self.init(values: values, lines: [:], file: file, path: path)
    }

    /// Makes a table from fields, with their lines if known.
    init(values: [String: ForeignValue], lines: [String: Int], file: String, path: String) {
        self.values = values.filter { if case .null = $0.value { false } else { true } }
        self.lines = lines
        self.file = file
        self.path = path
    }

    /// The keys not taken yet, in alphabetical order.
    var keys: [String] { values.keys.sorted() }

    func has(_ key: String) -> Bool { values[key] != nil }

    func fieldPath(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    func error(_ key: String, _ explanation: String) -> ProfileError {
        ProfileError(
            file: file, line: lines[key], field: fieldPath(key), explanation: explanation)
    }

    /// Takes the value under `key`, if present.
    mutating func take(_ key: String) -> ForeignValue? { values.removeValue(forKey: key) }

    /// Records that a field taken describes the link.
    mutating func noteCondition() { conditionCount += 1 }

    /// Takes the number under `key`; `defaults write` and web forms store numbers as text.
    mutating func number(_ key: String) throws(ProfileError) -> Double? {
        let number: Double
        switch take(key) {
        case nil: return nil
        case .number(let value): number = value
        case .text(let text):
            guard let value = Double(text.filter { $0 != " " }) else {
                throw error(key, "\"\(text)\" is not a number")
            }
            number = value
        case let value?: throw error(key, "is \(value.kind) and has to be a number")
        }
        guard number.isFinite else { throw error(key, "is no finite number") }
        noteCondition()
        return number
    }

    /// Takes the number under `key`, which must not be negative.
    mutating func amount(_ key: String) throws(ProfileError) -> Double? {
        guard let number = try number(key) else { return nil }
        guard number >= 0 else {
            throw error(key, "\(number.shortText) is negative; no link has that")
        }
        return number
    }

    mutating func text(_ key: String) throws(ProfileError) -> String? {
        switch take(key) {
        case nil: return nil
        case .text(let text): return text
        case .number(let number): return number.shortText
        case let value?: throw error(key, "is \(value.kind) and has to be a text")
        }
    }

    mutating func flag(_ key: String) throws(ProfileError) -> Bool? {
        let value = take(key)
        if value != nil { noteCondition() }
        switch value {
        case nil: return nil
        case .flag(let flag): return flag
        case .number(0), .text("0"), .text("false"): return false
        case .number(1), .text("1"), .text("true"): return true
        case let value?: throw error(key, "is \(value.kind) and has to be true or false")
        }
    }

    mutating func table(_ key: String) throws(ProfileError) -> ForeignTable? {
        guard let value = take(key) else { return nil }
        return try ForeignTable(value, file: file, path: fieldPath(key))
    }

    /// Takes the rate under `key`, counted in units of `unit`; zero is no limit.
    mutating func bandwidth(_ key: String, in unit: Bandwidth) throws(ProfileError) -> Bandwidth? {
        guard let number = try amount(key), number > 0 else { return nil }
        guard let bandwidth = Bandwidth(number, times: unit) else {
            throw error(key, "\(number.shortText) is too large or too small for a bandwidth")
        }
        return bandwidth
    }

    /// Takes the milliseconds under `key`.
    mutating func milliseconds(_ key: String) throws(ProfileError) -> Duration? {
        guard let number = try amount(key) else { return nil }
        guard let duration = Duration(milliseconds: number) else {
            throw error(key, "\(number.shortText) ms is longer than any delay")
        }
        return duration
    }

    /// Takes the percentage under `key`.
    mutating func percentage(_ key: String) throws(ProfileError) -> Ratio? {
        guard let number = try amount(key) else { return nil }
        guard let ratio = Ratio(number / 100) else {
            throw error(key, "\(number.shortText) is more than 100 %")
        }
        return ratio
    }
}

extension Bandwidth {
    /// `number` units, rounded to whole bits per second; nil if it is zero or too large.
    init?(_ number: Double, times unit: Bandwidth) {
        let bits = (number * Double(unit.bitsPerSecond)).rounded()
        guard bits >= 1, bits < 1e18 else { return nil }
        self.init(bitsPerSecond: UInt64(bits))
    }
}

extension Duration {
    /// `number` milliseconds, to the nanosecond; nil above a week.
    init?(milliseconds number: Double) {
        guard number >= 0, number <= 7 * 86_400_000 else { return nil }
        self = .nanoseconds(Int64((number * 1_000_000).rounded()))
    }
}

extension Double {
    /// The number as written in a file: `240`, `0.1`.
    var shortText: String {
        self == rounded() && abs(self) < 1e15 ? String(Int64(self)) : String(self)
    }
}

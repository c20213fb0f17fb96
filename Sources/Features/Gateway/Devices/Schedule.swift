import LinuxKernel

/// A day of the week.
public enum Weekday: String, Sendable, Hashable, CaseIterable {
    case sun, mon, tue, wed, thu, fri, sat

    /// Its number, as `LocalTime` counts.
    var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A time of day, to the minute.
public struct TimeOfDay: Sendable, Hashable, CustomStringConvertible {
    /// The minutes since midnight.
    public let minute: Int

    /// Reads `07:00` or `22:30`.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { 48...57 ~= $0 } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), (0..<24).contains(hour),
            (0..<60).contains(minute)
        else { return nil }
        self.minute = hour * 60 + minute
    }

    /// The form that `init` reads.
    public var description: String {
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(digits(minute / 60)):\(digits(minute % 60))"
    }
}

/// What a device gets at some time of the day, on some days.
public struct ScheduleEntry: Sendable, Hashable {
    /// When it begins.
    public var from: TimeOfDay
    /// When it ends: on the next day unless that is later than `from`.
    public var until: TimeOfDay
    /// The days on which it begins.
    public var days: Set<Weekday>
    /// What the device gets meanwhile.
    public var choice: NetworkChoice

    /// Whether it is in force.
    func isInForce(at time: LocalTime) -> Bool {
        let (from, until) = (from.minute, until.minute)
        let today = days.contains { $0.number == time.weekday }
        guard from >= until else { return today && (from..<until).contains(time.minute) }
        let yesterday = days.contains { ($0.number + 1) % 7 == time.weekday }
        return today && time.minute >= from || yesterday && time.minute < until
    }
}

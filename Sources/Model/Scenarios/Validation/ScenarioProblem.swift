/// Something in a scenario that is impossible or contradictory.
public struct ScenarioProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the entry; nil if it concerns the whole scenario.
    public let line: Int?
    /// The field as written in the file: `until`, `set.down.queue`.
    public let field: String
    /// What is wrong and what to do about it.
    public let explanation: String

    init(line: Int?, field: String, _ explanation: String) {
        self.line = line
        self.field = field
        self.explanation = explanation
    }

    /// The place and what is wrong.
    public var description: String {
        [line.map { "line \($0)" } ?? "", field, explanation].filter { !$0.isEmpty }
            .joined(separator: ": ")
    }
}

extension Scenario {
    /// The longest time accepted in a scenario, a month; use repetitions for longer ones.
    public static let longestTime = Duration.seconds(30 * 86_400)
    /// The longest total time of all repetitions, a year.
    public static let longestRepetition = Duration.seconds(365 * 86_400)
    /// The shortest period of a repeated entry.
    public static let shortestPeriod = Duration.milliseconds(1)

    /// The first problem, in file order; nil if the scenario is sound.
    public var problem: ScenarioProblem? {
        do throws(ScenarioProblem) {
            try checkInterfaces()
            try AppCheck(scenario: self).check()
            try checkRepetition()
            for entry in entries { try EntryCheck(entry: entry, scenario: self).check() }
            try CourseCheck(self).check()
            return nil
        } catch {
            return error
        }
    }

    private func checkInterfaces() throws(ScenarioProblem) {
        guard !interfaces.isEmpty else {
            throw ScenarioProblem(
                line: nil, field: "interfaces",
                "is missing; write interfaces: { wifi0: { profile: WiFi } }")
        }
        var seen: Set<String> = []
        for interface in interfaces {
            let name = interface.name
            if let reason = Self.problem(ofInterfaceName: name) {
                throw ScenarioProblem(line: interface.line, field: "interfaces.\(name)", reason)
            }
            guard seen.insert(name).inserted else {
                throw ScenarioProblem(
                    line: interface.line, field: "interfaces.\(name)", "is given twice; keep one")
            }
        }
    }

    /// Why Linux or a sandbox rejects this interface name; nil if neither does.
    public static func problem(ofInterfaceName name: String) -> String? {
        if name.isEmpty { return "an interface has a name, such as wifi0" }
        if name.utf8.count > 15 { return "is longer than the 15 bytes that Linux takes" }
        if name == "." || name == ".." { return "is a name that Linux does not take" }
        if name == "lo" { return "is the loopback, which every app has; choose another name" }
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_.".utf8.contains(byte)
            }
        }
        return isPlain ? nil : "may have letters, digits, \"-\", \"_\" and \".\" and nothing else"
    }

    private func checkRepetition() throws(ScenarioProblem) {
        guard let repetition else { return }
        guard repetition.period >= Self.shortestPeriod, repetition.period <= Self.longestTime else {
            throw ScenarioProblem(
                line: nil, field: "repeat.every",
                "is outside \(Self.shortestPeriod.text) to \(Self.longestTime.text)")
        }
        guard let count = repetition.count else { return }
        guard count >= 1 else {
            throw ScenarioProblem(line: nil, field: "repeat.times", "is at least 1")
        }
        let most = Self.longestRepetition / repetition.period
        guard Double(count) <= most else {
            throw ScenarioProblem(
                line: nil, field: "repeat.times",
                "\(count) is more than the \(Int(most)) that take a year; leave it out to repeat the "
                    + "timeline until the command ends")
        }
    }
}

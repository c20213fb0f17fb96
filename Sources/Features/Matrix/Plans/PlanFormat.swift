import FoundationEssentials

/// How one engine reads a plan. Each engine has a type and a file of its own.
protocol PlanFormat {
    /// The most jobs that the engine starts for a plan. Nil: no limit.
    var mostJobs: Int? { get }

    /// The plan as the engine reads it, with a line break at its end.
    func text(of matrix: PlannedMatrix) throws -> String
}

extension PlanFormat {
    /// `value` as one line of JSON.
    func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
}

/// The matrix that a plan is about.
struct PlannedMatrix {
    /// The parts, one job each.
    let parts: [CIPlan.Part]
    /// The words that run a part, up to the directory of its report.
    let words: [String]
    /// The words behind that directory: the command, if one was given.
    let commandWords: [String]
    /// The container image, for engines that need one.
    let image: String

    init(parts: [CIPlan.Part], arguments: [String], command: [String], image: String) {
        self.parts = parts
        words = ["linkcond", "matrix"] + arguments + ["--report"]
        commandWords = command.isEmpty ? [] : ["--"] + command
        self.image = image
    }
}

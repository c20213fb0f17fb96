import FoundationEssentials

/// The plan format of one engine. Each engine has its own type and file.
protocol PlanFormat {
    /// The engine's limit of jobs per plan. Nil: no limit.
    var mostJobs: Int? { get }

    /// The plan in the engine's format, ending with a line break.
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

/// The matrix of a plan.
struct PlannedMatrix {
    /// The parts, one job each.
    let parts: [CIPlan.Part]
    /// The words that run a part, up to the report directory.
    let words: [String]
    /// The words after that directory: the command, if one was given.
    let commandWords: [String]
    /// The container image, for engines that need one.
    let image: String
}

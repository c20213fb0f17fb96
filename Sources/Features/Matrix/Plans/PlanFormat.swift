import FoundationEssentials

/// The plan format of one engine. Each engine has its own type and file.
protocol PlanFormat {
    /// The engine's limit of jobs per plan. Nil: no limit.
    var mostJobs: Int? { get }

    /// The directory below which jobs share files; nil if they share none.
    var sharedDirectory: String? { get }

    /// The plan in the engine's format, ending with a line break.
    func text(of matrix: PlannedMatrix) throws -> String
}

extension PlanFormat {
    var sharedDirectory: String? { nil }

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
    /// The words that run a part, up to those about the part and its report.
    let words: [String]
    /// The words after those: the command, if one was given.
    let commandWords: [String]
    /// The container image, for engines that need one.
    let image: String
    /// The directory of the work queue, if the jobs share one.
    let queue: String?
}

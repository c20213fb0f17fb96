/// A matrix distributed over several machines: a job for each part.
public struct CIPlan: Sendable, Hashable {
    /// A part and its contents.
    public struct Part: Codable, Sendable, Hashable {
        /// The part as `--shard` reads it: `2/3`.
        public let shard: String
        /// The display name.
        public let name: String
        /// The cells, without the baseline, which every part has.
        public let cells: [String]
        /// The profiles of these cells.
        public let profiles: [String]
    }

    /// The parts that have cells.
    public let parts: [Part]

    /// Makes a job for each part.
    public init(_ sharding: Sharding) {
        let count = sharding.parts.count
        parts = sharding.parts.enumerated().map { index, cells in
            let own = cells.filter { !$0.isBaseline || count == 1 }
            let profiles = own.map(\.profile).reduce(into: [String]()) { profiles, profile in
                if profiles.last != profile { profiles.append(profile) }
            }
            let ids = own.map(\.id)
            let rest = ids.count > 3 ? " and \(ids.count - 3) more" : ""
            return Part(
                shard: "\(index + 1)/\(count)",
                name: ids.prefix(3).joined(separator: ", ") + rest, cells: ids,
                profiles: profiles)
        }
    }

    /// The plan in the engine's format.
    ///
    /// - Parameters:
    ///   - arguments: The words of `linkcond matrix` before the command, without those about the
    ///     plan.
    ///   - command: The command; empty: that of the file.
    ///   - image: The container image, for engines that run one.
    ///   - queue: The directory of a work queue, from which the jobs take cells; nil: each has a
    ///     fixed part.
    public func text(
        for engine: PlanEngine, arguments: [String], command: [String], image: String,
        queue: String? = nil
    ) throws -> String {
        try engine.format.text(
            of: PlannedMatrix(
                parts: parts, words: ["linkcond", "matrix"] + arguments,
                commandWords: command.isEmpty ? [] : ["--"] + command, image: image,
                queue: queue))
    }
}

/// How a matrix runs on several machines: a job for each part of it.
public struct CIPlan: Sendable, Hashable {
    /// A part, and what is in it.
    public struct Part: Codable, Sendable, Hashable {
        /// `2/3`, as `--shard` reads it.
        public let shard: String
        /// A name for people.
        public let name: String
        /// The cells, the baseline left out that all parts have.
        public let cells: [String]
        /// The profiles of these cells.
        public let profiles: [String]
    }

    /// The parts that have something to do.
    public let parts: [Part]

    /// Gives each part of a sharing its job.
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

    /// The plan as the engine reads it.
    ///
    /// - Parameters:
    ///   - arguments: the words of `linkcond matrix` before the command, without those of the plan.
    ///   - command: the command; empty: that of the file.
    ///   - image: the container image that Kubernetes runs.
    public func text(
        for engine: PlanEngine, arguments: [String], command: [String], image: String
    ) throws -> String {
        try engine.format.text(
            of: PlannedMatrix(parts: parts, arguments: arguments, command: command, image: image))
    }
}

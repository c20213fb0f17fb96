import LinkModel

extension Shard {
    /// How an engine numbers parallel jobs.
    private struct Convention {
        /// The variable with the job's number.
        let index: String
        /// The variable with the number of jobs.
        let count: String
        /// The number of the first job.
        let first: Int
    }

    private static let conventions = [
        // Kubernetes does not tell the number of jobs: our manifest does.
        Convention(index: "JOB_COMPLETION_INDEX", count: countVariable, first: 0),
        Convention(index: "CI_NODE_INDEX", count: "CI_NODE_TOTAL", first: 1),
        Convention(index: "CIRCLE_NODE_INDEX", count: "CIRCLE_NODE_TOTAL", first: 0),
        Convention(
            index: "BUILDKITE_PARALLEL_JOB", count: "BUILDKITE_PARALLEL_JOB_COUNT", first: 0),
        Convention(
            index: "SYSTEM_JOBPOSITIONINPHASE", count: "SYSTEM_TOTALJOBSINPHASE", first: 1),
        Convention(index: "SEMAPHORE_JOB_INDEX", count: "SEMAPHORE_JOB_COUNT", first: 1),
    ]

    /// The variable with which our own plans name a part, such as `2/3`.
    static let variable = "LINKCOND_SHARD"

    /// The variable with which our own plans give the number of parts if the engine does not.
    static let countVariable = "LINKCOND_SHARDS"

    /// The part of a matrix that a CI engine assigns to this job, and the variable that says so;
    /// nil if none does. GitLab, CircleCI, Buildkite, Azure Pipelines, Semaphore and Kubernetes
    /// number parallel jobs; GitHub does not.
    public static func detected(
        in environment: [String: String]
    ) throws(MatrixError) -> (shard: Shard, variable: String)? {
        if let text = environment[variable], !text.isEmpty {
            guard let shard = Shard(text) else {
                throw MatrixError(
                    .usage,
                    "\(variable): \"\(text)\" is not a part of a whole of at "
                        + "most \(mostParts); write it as 2/3")
            }
            return (shard, variable)
        }
        for convention in conventions {
            guard let index = environment[convention.index].flatMap({ Int($0) }),
                let count = environment[convention.count].flatMap({ Int($0) })
            else { continue }
            guard let shard = Shard(index: index &- convention.first &+ 1, count: count) else {
                throw MatrixError(
                    .usage,
                    "\(convention.index) is \(index) and \(convention.count) is \(count), which "
                        + "is no part of a whole of at most \(mostParts); say which with "
                        + "--shard")
            }
            return (shard, convention.index)
        }
        return nil
    }
}

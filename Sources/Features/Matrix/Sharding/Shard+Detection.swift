import LinkModel

extension Shard {
    /// How an engine numbers parallel jobs.
    private struct Convention {
        /// The variable with the job's number.
        let index: String
        /// The variable with the number of jobs.
        let count: String
        /// The number of the first job.
        var first = 0
        /// The variable with that number, if jobs may be numbered differently.
        var firstVariable: String?
        /// The variable with the distance of two numbers.
        var stepVariable: String?

        /// The number of the job from 0 and the number of jobs; nil if the variables do not say.
        func position(in environment: [String: String]) -> (index: Int, count: Int)? {
            func number(_ variable: String?) -> Int? {
                variable.flatMap { environment[$0] }.flatMap { Int($0) }
            }
            guard let index = number(index), let count = number(count) else { return nil }
            let distance = index &- (number(firstVariable) ?? first)
            let step = max(1, number(stepVariable) ?? 1)
            // A number between two steps is that of no job.
            return (distance.isMultiple(of: step) ? distance / step : -1, count)
        }
    }

    private static let conventions = [
        // Kubernetes does not tell the number of jobs: our manifest does.
        Convention(index: "JOB_COMPLETION_INDEX", count: countVariable),
        Convention(index: "CI_NODE_INDEX", count: "CI_NODE_TOTAL", first: 1),
        Convention(index: "CIRCLE_NODE_INDEX", count: "CIRCLE_NODE_TOTAL"),
        Convention(
            index: "BUILDKITE_PARALLEL_JOB", count: "BUILDKITE_PARALLEL_JOB_COUNT"),
        Convention(
            index: "SYSTEM_JOBPOSITIONINPHASE", count: "SYSTEM_TOTALJOBSINPHASE", first: 1),
        Convention(index: "SEMAPHORE_JOB_INDEX", count: "SEMAPHORE_JOB_COUNT", first: 1),
        Convention(
            index: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT",
            firstVariable: "SLURM_ARRAY_TASK_MIN", stepVariable: "SLURM_ARRAY_TASK_STEP"),
    ]

    /// The variable with which our own plans name a part, such as `2/3`.
    static let variable = "LINKCOND_SHARD"

    /// The variable with which our own plans give the number of parts if the engine does not.
    static let countVariable = "LINKCOND_SHARDS"

    /// The part of a matrix that a CI engine assigns to this job, and the variable that says so;
    /// nil if none does. GitLab, CircleCI, Buildkite, Azure Pipelines, Semaphore, Slurm and
    /// Kubernetes number parallel jobs; GitHub does not.
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
            guard let (index, count) = convention.position(in: environment) else { continue }
            guard let shard = Shard(index: index &+ 1, count: count) else {
                throw MatrixError(
                    .usage,
                    "\(convention.index) is \(environment[convention.index] ?? "") and "
                        + "\(convention.count) is \(count), which is no part of a whole of at most "
                        + "\(mostParts); say which with --shard")
            }
            return (shard, convention.index)
        }
        return nil
    }
}

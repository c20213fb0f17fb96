/// One line for `$GITHUB_OUTPUT` and `strategy.matrix: ${{ fromJSON(...) }}`.
struct GitHubPlan: PlanFormat {
    /// GitHub's limit of jobs per matrix.
    let mostJobs: Int? = 256

    func text(of matrix: PlannedMatrix) throws -> String {
        try line(["include": matrix.parts.map { ["shard": $0.shard, "name": $0.name] }])
    }
}

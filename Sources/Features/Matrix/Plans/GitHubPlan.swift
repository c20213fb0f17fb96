/// One line for `$GITHUB_OUTPUT` and `strategy.matrix: ${{ fromJSON(...) }}`.
struct GitHubPlan: PlanFormat {
    /// GitHub's limit of jobs per matrix.
    let mostJobs: Int? = 256

    private struct Matrix: Encodable {
        struct Job: Encodable {
            let shard: String
            let name: String
        }
        let include: [Job]
    }

    func text(of matrix: PlannedMatrix) throws -> String {
        try line(
            Matrix(include: matrix.parts.map { Matrix.Job(shard: $0.shard, name: $0.name) }))
    }
}

/// A CI engine that runs a matrix on several machines, as named after `--plan`.
public enum PlanEngine: String, Sendable, CaseIterable {
    case github, gitlab, kubernetes, json

    /// The format of the engine's plans.
    var format: any PlanFormat {
        switch self {
        case .github: GitHubPlan()
        case .gitlab: GitLabPlan()
        case .kubernetes: KubernetesPlan()
        case .json: JSONPlan()
        }
    }

    /// The engine's limit of jobs per plan. Nil: no limit.
    public var mostJobs: Int? { format.mostJobs }
}

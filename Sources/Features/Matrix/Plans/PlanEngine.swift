/// What runs a matrix on several machines, by its name after `--plan`.
public enum PlanEngine: String, Sendable, CaseIterable {
    case github, gitlab, kubernetes, json

    /// How the engine reads a plan.
    var format: any PlanFormat {
        switch self {
        case .github: GitHubPlan()
        case .gitlab: GitLabPlan()
        case .kubernetes: KubernetesPlan()
        case .json: JSONPlan()
        }
    }

    /// The most jobs that the engine starts for a plan. Nil: no limit.
    public var mostJobs: Int? { format.mostJobs }
}

/// A CI engine that runs a matrix on several machines, as named after `--plan`.
public enum PlanEngine: String, Sendable, CaseIterable {
    case github
    case githubWorkflow = "github-workflow"
    case gitlab, kubernetes, slurm, json

    /// The format of the engine's plans.
    var format: any PlanFormat {
        switch self {
        case .github: GitHubPlan()
        case .githubWorkflow: GitHubWorkflowPlan()
        case .gitlab: GitLabPlan()
        case .kubernetes: KubernetesPlan()
        case .slurm: SlurmPlan()
        case .json: JSONPlan()
        }
    }

    /// The engine's limit of jobs per plan. Nil: no limit.
    public var mostJobs: Int? { format.mostJobs }

    /// Why the jobs cannot share a work queue in this directory, in a sentence; nil if they can.
    public func problem(ofQueue directory: String) -> String? {
        guard let shared = format.sharedDirectory else {
            return "the jobs of \(rawValue) share no directory; leave out --queue"
        }
        guard directory.hasPrefix(shared), directory != shared else {
            return "the jobs of \(rawValue) share only \(shared); write --queue \(shared)queue"
        }
        return nil
    }
}

import LinkModel
import LinuxKernel

/// Jobs for `include:` or a child pipeline.
struct GitLabPlan: PlanFormat {
    /// GitLab's limit of jobs per `parallel:matrix`.
    let mostJobs: Int? = 200

    func text(of matrix: PlannedMatrix) -> String {
        let shards = matrix.parts.map {
            "          - \($0.shard.inYAMLQuotes)  # \($0.name.printable)"
        }
        return """
            # Made by linkcond matrix --plan gitlab.
            linkcond:
              stage: test
              parallel:
                matrix:
                  - \(Shard.variable):
            \(shards.joined(separator: "\n"))
              # A part whose machine was lost runs elsewhere, one that failed does not.
              retry:
                max: 2
                when: [runner_system_failure, stuck_or_timeout_failure]
              script:
                - \(script(of: matrix).inYAMLQuotes)
              artifacts:
                when: always
                paths: ["report-*/"]
                reports:
                  junit: "report-*/junit.xml"

            linkcond-report:
              # Every pipeline has this stage, whatever its stages are called.
              stage: .post
              when: always
              script:
                - "linkcond matrix merge --report report report-*"
              artifacts:
                when: always
                paths: [report/]

            """
    }

    /// The number of the job makes report names unique; only the runner's shell knows it.
    private func script(of matrix: PlannedMatrix) -> String {
        let command = matrix.commandWords.isEmpty ? [] : [ShellWord.line(matrix.commandWords)]
        return ([ShellWord.line(matrix.words), "--report report-$CI_JOB_ID"] + command)
            .joined(separator: " ")
    }
}

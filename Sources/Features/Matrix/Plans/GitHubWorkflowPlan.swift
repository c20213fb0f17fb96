import LinuxKernel

/// A workflow with a job for each part, and one that merges their reports.
struct GitHubWorkflowPlan: PlanFormat {
    /// GitHub's limit of jobs per matrix.
    let mostJobs: Int? = 256

    func text(of matrix: PlannedMatrix) -> String {
        let parts = matrix.parts.map {
            """
                      - shard: \(quoted($0.shard))
                        name: \(quoted($0.name))
            """
        }
        let command = matrix.commandWords.isEmpty ? [] : [ShellWord.line(matrix.commandWords)]
        let script = ([ShellWord.line(matrix.words), "--report report"] + command)
            .joined(separator: " ")
        return """
            # Made by linkcond matrix --plan github-workflow.
            name: linkcond
            on: [push, pull_request]
            jobs:
              network:
                runs-on: ubuntu-24.04
                container:
                  image: \(quoted(matrix.image))
                  options: --privileged
                strategy:
                  fail-fast: false
                  matrix:
                    include:
            \(parts.joined(separator: "\n"))
                name: ${{ matrix.name }}
                env:
                  \(Shard.variable): ${{ matrix.shard }}
                steps:
                  - uses: actions/checkout@v4
                  - run: \(quoted(script))
                  - uses: actions/upload-artifact@v4
                    if: always()
                    with:
                      name: linkcond-report-${{ strategy.job-index }}
                      path: report
              report:
                needs: network
                if: always()
                runs-on: ubuntu-24.04
                container:
                  image: \(quoted(matrix.image))
                steps:
                  - uses: actions/download-artifact@v4
                    with:
                      pattern: linkcond-report-*
                  - run: linkcond matrix merge --report report linkcond-report-*
                  - uses: actions/upload-artifact@v4
                    if: always()
                    with:
                      name: linkcond-report
                      path: report

            """
    }

    /// The text in YAML's quotes, which GitHub does not take for an expression.
    private func quoted(_ text: String) -> String {
        text.replacing("${{", with: "${{ '${{' }}").inYAMLQuotes
    }
}

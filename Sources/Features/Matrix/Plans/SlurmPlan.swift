import LinuxKernel

/// A shell script that submits an array of tasks, and a job after them that merges their reports.
struct SlurmPlan: PlanFormat {
    /// The tasks of an array that Slurm allows by default (`MaxArraySize`).
    let mostJobs: Int? = 1000
    /// Jobs start in the directory of `sbatch`.
    let sharedDirectory: String? = ""

    func text(of matrix: PlannedMatrix) -> String {
        let (part, merge) = matrix.queue.map(queued) ?? fixed(matrix.parts.count)
        let task =
            "exec "
            + ([ShellWord.line(matrix.words), part]
            + (matrix.commandWords.isEmpty ? [] : [ShellWord.line(matrix.commandWords)]))
            .joined(separator: " ")
        let end = Self.delimiter(of: task)
        return """
            #!/bin/sh
            # Made by linkcond matrix --plan slurm. Run it in a directory that all nodes share.
            set -eu

            # The task of a lost node is queued again.
            submit_tasks() {
                sbatch --parsable --job-name=linkcond --array=1-\(matrix.parts.count) --requeue <<'\(end)'
            #!/bin/sh
            \(task)
            \(end)
            }

            # Runs when all tasks have ended, however they did.
            submit_merge() {
                sbatch --parsable --job-name=linkcond-merge --dependency="afterany:$1" <<END
            #!/bin/sh
            exec \(merge)
            END
            }

            tasks=$(submit_tasks)
            tasks=${tasks%%;*}
            merge=$(submit_merge "$tasks")
            echo "tasks $tasks, merge ${merge%%;*}"

            """
    }

    /// The words of a task with a fixed part, and those that merge the reports of all.
    private func fixed(_ count: Int) -> (part: String, merge: String) {
        (
            "--shard \"$SLURM_ARRAY_TASK_ID/\(count)\" "
                + "--report \"linkcond-$SLURM_ARRAY_JOB_ID/$SLURM_ARRAY_TASK_ID\"",
            "linkcond matrix merge --report \"linkcond-$1/report\" \"linkcond-$1\"/[0-9]*"
        )
    }

    /// The words of a task that takes cells from a queue, and those that make its report.
    private func queued(_ directory: String) -> (part: String, merge: String) {
        // The second is within a document in which the shell expands variables.
        let escaped = ShellWord(directory).description
            .replacing("\\", with: "\\\\").replacing("$", with: "\\$").replacing("`", with: "\\`")
        return (
            ShellWord.line(["--queue", directory]), "linkcond matrix merge \(escaped)"
        )
    }

    /// A line that `text` does not have.
    private static func delimiter(of text: String) -> String {
        var delimiter = "END"
        let lines = Set(text.split(separator: "\n"))
        while lines.contains(Substring(delimiter)) { delimiter += "_" }
        return delimiter
    }
}

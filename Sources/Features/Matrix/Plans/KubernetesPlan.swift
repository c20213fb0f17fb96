/// An indexed Job: its pods are numbered, and `linkcond matrix` reads the number.
struct KubernetesPlan: PlanFormat {
    let mostJobs: Int? = nil

    func text(of matrix: PlannedMatrix) -> String {
        let words =
            matrix.words.map(Self.escapingVariables) + ["/reports/$(JOB_COMPLETION_INDEX)"]
            + matrix.commandWords.map(Self.escapingVariables)
        let lines = words.map { "            - \($0.inYAMLQuotes)" }
        let count = matrix.parts.count
        return """
            # Made by linkcond matrix --plan kubernetes.
            apiVersion: batch/v1
            kind: Job
            metadata:
              name: linkcond-matrix
            spec:
              completionMode: Indexed
              completions: \(count)
              parallelism: \(count)
              # A part that fails does not end the others.
              backoffLimitPerIndex: 0
              template:
                spec:
                  restartPolicy: Never
                  containers:
                    - name: matrix
                      image: \(matrix.image.inYAMLQuotes)
                      command:
            \(lines.joined(separator: "\n"))
                      env:
                        - name: \(Shard.countVariable)
                          value: "\(count)"
                      securityContext:
                        # For the sandboxes' namespaces, interfaces and packet sockets; nothing of
                        # the node is touched. docs/ci/README.md has a variant without root.
                        capabilities:
                          drop: [ALL]
                          add: [SYS_ADMIN, NET_ADMIN, NET_RAW]
                        # Kubernetes 1.30 or later.
                        appArmorProfile:
                          type: Unconfined
                      volumeMounts:
                        - name: reports
                          mountPath: /reports
                  volumes:
                    - name: reports
                      persistentVolumeClaim:
                        claimName: linkcond-reports

            """
    }

    /// Kubernetes replaces `$(NAME)` in the words of a command, and `$$` by `$`.
    private static func escapingVariables(_ word: String) -> String {
        word.replacing("$", with: "$$")
    }
}

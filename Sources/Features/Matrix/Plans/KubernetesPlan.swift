/// An indexed Job, whose pods are numbered, and a Job that merges the reports of its parts.
struct KubernetesPlan: PlanFormat {
    let mostJobs: Int? = nil
    /// Where pods find the claim.
    let sharedDirectory: String? = "/reports/"

    func text(of matrix: PlannedMatrix) -> String {
        let directory = matrix.queue.map(Self.escapingVariables)
        let part = directory.map { ["--queue", $0] } ?? ["--report", Self.partReport]
        let words =
            matrix.words.map(Self.escapingVariables) + part
            + matrix.commandWords.map(Self.escapingVariables)
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
              # A part that fails does not end the others, and is not repeated. One whose pod was lost
              # or killed is (Kubernetes 1.29 or later).
              backoffLimitPerIndex: 3
              podFailurePolicy:
                rules:
                  - action: Ignore
                    onPodConditions:
                      - type: DisruptionTarget
                        status: "True"
                  - action: FailIndex
                    onExitCodes:
                      containerName: matrix
                      operator: In
                      values: [1, 64, 69, 73, 74, 77, 78]
              template:
                spec:
                  restartPolicy: Never
                  containers:
                    - name: matrix
                      image: \(matrix.image.inYAMLQuotes)
                      command:
            \(Self.list(words))
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
            \(Self.volumes)
            \(directory == nil ? merge(of: matrix) : "")
            """
    }

    private static let partReport = "/reports/parts/$(JOB_COMPLETION_INDEX)"

    private static let volumes = """
              volumes:
                - name: reports
                  persistentVolumeClaim:
                    claimName: linkcond-reports
        """

    /// A Job that waits for the reports of all parts. Workers of a queue make the report themselves.
    private func merge(of matrix: PlannedMatrix) -> String {
        let script = """
            cd /reports
            missing() { for part in $(seq 0 \(matrix.parts.count - 1)); do
            test -e parts/$part/report.json || return 0; done; return 1; }
            while missing && test "$WAIT" -gt 0; do sleep 5; WAIT=$((WAIT - 5)); done
            code=0; linkcond matrix merge --report report parts/* || code=$?
            if test $code -gt 1; then rm -rf unmerged && mv parts unmerged; else rm -r parts; fi
            exit $code
            """
        return """
            ---
            # Merges the reports of the parts when all are there, and removes the parts; what cannot be
            # merged goes to unmerged/, since the next run must not find it. Waits for them for so many
            # seconds; what is not there then is missing, which counts as failed.
            apiVersion: batch/v1
            kind: Job
            metadata:
              name: linkcond-report
            spec:
              backoffLimit: 0
              template:
                spec:
                  restartPolicy: Never
                  containers:
                    - name: merge
                      image: \(matrix.image.inYAMLQuotes)
                      command:
            \(Self.list(["sh", "-c", Self.escapingVariables(script)]))
                      env:
                        - name: WAIT
                          value: "21600"
                      securityContext:
                        allowPrivilegeEscalation: false
                        capabilities:
                          drop: [ALL]
                      volumeMounts:
                        - name: reports
                          mountPath: /reports
            \(Self.volumes)

            """
    }

    private static func list(_ words: [String]) -> String {
        words.map { "            - \($0.inYAMLQuotes)" }.joined(separator: "\n")
    }

    /// Kubernetes replaces `$(NAME)` in the words of a command, and `$$` by `$`.
    private static func escapingVariables(_ word: String) -> String {
        word.replacing("$", with: "$$")
    }
}

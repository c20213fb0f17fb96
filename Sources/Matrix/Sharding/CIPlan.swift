import FoundationEssentials
import LinkModel
import LinuxKernel

/// What runs a matrix on several machines.
public enum PlanEngine: String, Sendable, CaseIterable {
    case github, gitlab, kubernetes, json
}

/// How a CI engine runs a matrix: a job for each part.
public struct CIPlan: Sendable, Hashable {
    /// A part, and what is in it.
    public struct Part: Codable, Sendable, Hashable {
        /// `2/3`, as `--shard` reads it.
        public let shard: String
        /// A name for people.
        public let name: String
        /// The cells, the baseline left out that all parts have.
        public let cells: [String]
        /// The profiles of these cells.
        public let profiles: [String]
    }

    /// GitHub starts no more jobs from a matrix.
    public static let mostGitHubJobs = 256
    /// GitLab starts no more jobs from a `parallel:matrix`.
    public static let mostGitLabJobs = 200

    /// The parts that have something to do.
    public let parts: [Part]

    /// Gives each part of a sharing its job.
    public init(_ sharding: Sharding) {
        let count = sharding.parts.count
        parts = sharding.parts.enumerated().map { index, cells in
            let own = cells.filter { !$0.isBaseline || count == 1 }
            let profiles = own.map(\.profile).reduce(into: [String]()) { profiles, profile in
                if profiles.last != profile { profiles.append(profile) }
            }
            let ids = own.map(\.id)
            let rest = ids.count > 3 ? " and \(ids.count - 3) more" : ""
            return Part(
                shard: "\(index + 1)/\(count)",
                name: ids.prefix(3).joined(separator: ", ") + rest, cells: ids,
                profiles: profiles)
        }
    }

    /// The most jobs that an engine takes; nil: as many as one likes.
    public static func mostJobs(of engine: PlanEngine) -> Int? {
        switch engine {
        case .github: mostGitHubJobs
        case .gitlab: mostGitLabJobs
        case .kubernetes, .json: nil
        }
    }

    /// The plan as the engine reads it.
    ///
    /// - Parameters:
    ///   - arguments: the words of `linkcond matrix` before the command, without those of the plan.
    ///   - command: the command; empty: that of the file.
    ///   - image: the container image that Kubernetes runs.
    public func text(
        for engine: PlanEngine, arguments: [String], command: [String], image: String
    ) throws -> String {
        let command = command.isEmpty ? [] : ["--"] + command
        let verb = ["linkcond", "matrix"] + arguments + ["--report"]
        return switch engine {
        case .github: try gitHub()
        case .gitlab:
            // The number of the job tells the reports apart; only the runner's shell knows it.
            gitLab(
                script: ([ShellWord.line(verb), "report-$CI_JOB_ID"]
                    + (command.isEmpty ? [] : [ShellWord.line(command)])).joined(separator: " "))
        case .kubernetes:
            kubernetes(
                verb.map(Self.escapingVariables) + ["/reports/$(JOB_COMPLETION_INDEX)"]
                    + command.map(Self.escapingVariables), image: image)
        case .json: try json(verb + ["report"] + command)
        }
    }

    // MARK: Engines

    /// One line, as `$GITHUB_OUTPUT` takes it, for `strategy.matrix: ${{ fromJSON(...) }}`.
    private func gitHub() throws -> String {
        struct Job: Encodable {
            let shard: String
            let name: String
        }
        struct Matrix: Encodable {
            let include: [Job]
        }
        return try Self.line(
            Matrix(include: parts.map { Job(shard: $0.shard, name: $0.name) }))
    }

    private func json(_ command: [String]) throws -> String {
        struct Plan: Encodable {
            let command: [String]
            let parts: [Part]
        }
        return try Self.line(Plan(command: command, parts: parts))
    }

    private static func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }

    /// Jobs for `include:` or a child pipeline.
    private func gitLab(script: String) -> String {
        let shards = parts.map {
            "          - \(Self.quoted($0.shard))  # \(Self.comment($0.name))"
        }
        return """
            # Made by linkcond matrix --plan gitlab.
            stages: [test, report]

            linkcond:
              stage: test
              parallel:
                matrix:
                  - LINKCOND_SHARD:
            \(shards.joined(separator: "\n"))
              script:
                - \(Self.quoted(script))
              artifacts:
                when: always
                paths: ["report-*/"]
                reports:
                  junit: "report-*/junit.xml"

            linkcond-report:
              stage: report
              when: always
              script:
                - "linkcond matrix merge --report report report-*"
              artifacts:
                when: always
                paths: [report/]

            """
    }

    /// A Job whose pods number themselves, which `linkcond matrix` reads.
    private func kubernetes(_ words: [String], image: String) -> String {
        let lines = words.map { "            - \(Self.quoted($0))" }
        return """
            # Made by linkcond matrix --plan kubernetes.
            apiVersion: batch/v1
            kind: Job
            metadata:
              name: linkcond-matrix
            spec:
              completionMode: Indexed
              completions: \(parts.count)
              parallelism: \(parts.count)
              # A part that fails does not end the others (Kubernetes 1.29 or later).
              backoffLimitPerIndex: 0
              template:
                spec:
                  restartPolicy: Never
                  containers:
                    - name: matrix
                      image: \(Self.quoted(image))
                      command:
            \(lines.joined(separator: "\n"))
                      env:
                        - name: LINKCOND_SHARDS
                          value: "\(parts.count)"
                      securityContext:
                        # For the sandboxes' namespaces, interfaces and packet sockets; nothing of
                        # the node is touched. docs/ci/README.md has a variant without root.
                        capabilities:
                          drop: [ALL]
                          add: [SYS_ADMIN, NET_ADMIN, NET_RAW]
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

    // MARK: Texts

    /// A text in YAML's double quotes.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            // Some of these are line breaks to YAML, and others no characters of a text.
            case _
            where !scalar.isPrintable || scalar.properties.isNoncharacterCodePoint
                || scalar == "\u{feff}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private static func comment(_ text: String) -> String {
        text.printable
    }
}

import Foundation
import LinkTesting
import Testing

@testable import Matrix

@Suite("Plans for CI engines", .tags(.unit))
struct CIPlanTests {
    private static let plan = CIPlan(
        Sharding(
            SampleMatrix.specification(["LTE", "3G", "#\n\"Edge\""], repetitions: 2).cells, into: 3)
    )
    private static let arguments = ["--profiles", "LTE,3G", "--set", "dns.delay=3 s"]

    private static func text(
        _ engine: PlanEngine, command: [String] = [], queue: String? = nil
    ) throws -> String {
        try plan.text(
            for: engine, arguments: arguments, command: command, image: "registry.test/image:1",
            queue: queue)
    }

    @Test func `GitHub gets one line of JSON for strategy-matrix`() throws {
        let text = try Self.text(.github)
        #expect(text.count { $0 == "\n" } == 1)
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let jobs = try #require((object as? [String: [[String: String]]])?["include"])
        #expect(jobs.map { $0["shard"] } == ["1/3", "2/3", "3/3"])
        #expect(jobs[0]["name"]?.contains("LTE/1") == true)
    }

    @Test func `JSON names the cells of every part`() throws {
        let object = try JSONSerialization.jsonObject(with: Data(Self.text(.json).utf8))
        let plan = try #require(object as? [String: Any])
        let parts = try #require(plan["parts"] as? [[String: Any]])
        let cells = parts.flatMap { $0["cells"] as? [String] ?? [] }
        #expect(cells.count == 6 && Set(cells).count == 6)
        #expect((plan["command"] as? [String])?.prefix(3) == ["linkcond", "matrix", "--profiles"])
    }

    @Test func `GitLab gets jobs in YAML, and words as a shell needs them`() async throws {
        let command = ["sh", "-c", "echo 'a b'; test \"$A\" = \\\\"]
        let text = try Self.text(.gitlab, command: command)
        let document = try #require(try await Self.documents(text).first as? [String: Any])
        let job = try #require(document["linkcond"] as? [String: Any])
        let parallel = try #require(job["parallel"] as? [String: [[String: [String]]]])
        #expect(parallel["matrix"]?.first?["LINKCOND_SHARD"] == ["1/3", "2/3", "3/3"])
        // Those of a file that includes this one would replace them.
        #expect(document["stages"] == nil)
        #expect((document["linkcond-report"] as? [String: Any])?["stage"] as? String == ".post")
        let script = try #require((job["script"] as? [String])?.first)
        let echoed = try shell(
            "CI_JOB_ID=7; linkcond() { printf '%s\\n' \"$@\"; }; " + script)
        #expect(
            echoed.split(separator: "\n").map(String.init)
                == ["matrix"] + Self.arguments + ["--report", "report-7", "--"] + command)
    }

    @Test func `Kubernetes gets an indexed job, and words as they are`() async throws {
        let text = try Self.text(.kubernetes, command: ["sh", "-c", "echo $(HOME) \"a\"\t\u{1b}"])
        let documents = try await Self.documents(text)
        #expect(documents.count == 2)
        let job = try #require(documents.first as? [String: Any])
        let specification = try #require(job["spec"] as? [String: Any])
        #expect(specification["completions"] as? Int == 3)
        #expect(specification["completionMode"] as? String == "Indexed")
        let template = specification["template"] as? [String: [String: Any]]
        let containers = try #require(template?["spec"]?["containers"] as? [[String: Any]])
        let words = try #require(containers.first?["command"] as? [String])
        #expect(
            words == ["linkcond", "matrix"] + Self.arguments
                + [
                    "--report", "/reports/parts/$(JOB_COMPLETION_INDEX)", "--", "sh", "-c",
                    "echo $$(HOME) \"a\"\t\u{1b}",
                ])
        #expect(containers.first?["image"] as? String == "registry.test/image:1")
        let environment = containers.first?["env"] as? [[String: String]]
        #expect(environment?.first == ["name": "LINKCOND_SHARDS", "value": "3"])
    }

    /// The documents in a YAML text, made by the parser of somebody else.
    private static func documents(_ text: String) async throws -> [Any] {
        let json = try await python(text, "plans")
        return try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [Any])
    }

    /// The words as YAML and what reads that take them, made by the same parser.
    private static func python(_ text: String, _ expression: String) async throws -> String {
        let program = """
            import sys, json, yaml
            plans = list(yaml.safe_load_all(sys.stdin))
            plan = plans[0]
            print(json.dumps(\(expression)))
            """
        return try await runProcess("python3", ["-c", program], input: text).standardOutput
    }

    @Test func `words of any kind come through GitLab's YAML and shell`() async throws {
        let words = HostileWords.all.filter { !$0.isEmpty }
        let text = try Self.plan.text(
            for: .gitlab, arguments: ["--set"] + words, command: words, image: "image")
        let script = try await Self.python(text, "plan['linkcond']['script'][0]")
        let line = try JSONDecoder().decode(String.self, from: Data(script.utf8))
        let echoed = try shell(HostileWords.printing("linkcond", script: "CI_JOB_ID=7; " + line))
        let expected = ["matrix", "--set"] + words + ["--report", "report-7", "--"] + words
        #expect(echoed == expected.map { $0 + "." }.joined())
    }

    @Test func `words of any kind come through Kubernetes' YAML and its variables`() async throws {
        let words = HostileWords.all
        let text = try Self.plan.text(
            for: .kubernetes, arguments: words, command: words, image: "a\"\n#{b}")
        let container = "plan['spec']['template']['spec']['containers'][0]"
        let found = try JSONDecoder().decode(
            [String].self, from: Data(try await Self.python(text, "\(container)['command']").utf8))
        // As the kubelet expands: two signs are one, and a name in brackets is a variable.
        let expanded = found.map { word in
            word.replacing("$$", with: "\0").replacing("$(JOB_COMPLETION_INDEX)", with: "7")
                .replacing("\0", with: "$")
        }
        #expect(
            expanded == ["linkcond", "matrix"] + words + ["--report", "/reports/parts/7", "--"]
                + words)
        #expect(try await Self.python(text, "\(container)['image']") == "\"a\\\"\\n#{b}\"\n")
    }

    @Test func `words of any kind come through GitHub's YAML, expressions and shell`() async throws
    {
        let words = HostileWords.all.filter { !$0.isEmpty }
        let text = try Self.plan.text(
            for: .githubWorkflow, arguments: words, command: words, image: "image")
        let script = try await Self.python(text, "plan['jobs']['network']['steps'][1]['run']")
        // As GitHub expands: an expression that is a text.
        let line = try JSONDecoder().decode(String.self, from: Data(script.utf8))
            .replacing("${{ '${{' }}", with: "${{")
        let echoed = try shell(HostileWords.printing("linkcond", script: line))
        let expected = ["matrix"] + words + ["--report", "report", "--"] + words
        #expect(echoed == expected.map { $0 + "." }.joined())
    }

    /// What Slurm is given: the tasks' script as it runs, and the merge job's.
    private static func submitted(_ text: String) throws -> (task: String, merge: String) {
        // sbatch tells a number, and in a federation the cluster as well.
        let sbatch = """
            sbatch() { case "$*" in *--array*) cat >task; echo "7;alpha" ;; *) cat >merge; echo 8; esac; }

            """
        let both = try shell(
            "cd \"$(mktemp -d)\"; " + sbatch + text.replacing("#!/bin/sh\n# Made", with: "# Made")
                + "printf '\\0'; cat task; printf '\\0'; cat merge; rm -r \"$PWD\"")
        let parts = both.split(separator: "\0").map(String.init)
        try #require(parts.count == 3)
        #expect(parts[0] == "tasks 7, merge 8\n")
        return (parts[1], parts[2])
    }

    @Test func `words of any kind come through Slurm's script`() throws {
        // sbatch refuses a script with line breaks of Windows.
        let words = HostileWords.all.filter { !$0.isEmpty } + ["END", "a\nEND\n>pwned\nEND_"]
        let text = try Self.plan.text(
            for: .slurm, arguments: words, command: words, image: "image")
        let (task, merge) = try Self.submitted(text)
        let variables = "SLURM_ARRAY_TASK_ID=2; SLURM_ARRAY_JOB_ID=7; "
        let echoed = try shell(
            HostileWords.printing(
                "linkcond",
                script: variables + task.replacing("\nexec linkcond", with: "\nlinkcond")))
        let expected =
            ["matrix"] + words + ["--shard", "2/3", "--report", "linkcond-7/2", "--"] + words
        #expect(echoed == expected.map { $0 + "." }.joined())
        #expect(
            merge == "#!/bin/sh\nexec linkcond matrix merge --report \"linkcond-7/report\" "
                + "\"linkcond-7\"/[0-9]*\n")
    }

    @Test(arguments: ["queue", "a b", "$(>pwned)`x`\\$HOME'"])
    func `workers of Slurm share a queue, and the merge job makes its report`(queue: String) throws
    {
        let (task, merge) = try Self.submitted(Self.text(.slurm, command: ["true"], queue: queue))
        let words = ["linkcond", "matrix"] + Self.arguments + ["--queue", queue, "--", "true"]
        for (script, words) in [(task, words), (merge, ["linkcond", "matrix", "merge", queue])] {
            let echoed = try shell(
                "set -f; echo() { printf '%s.' \"$@\"; }; "
                    + script.replacing("exec ", with: "echo "))
            #expect(echoed == words.map { $0 + "." }.joined())
        }
    }

    @Test func `pods share a queue on their claim, and need no merge job`() async throws {
        let text = try Self.text(.kubernetes, command: ["true"], queue: "/reports/q$(A)")
        let documents = try await Self.documents(text)
        #expect(documents.count == 1)
        #expect(text.contains("- \"--queue\"\n            - \"/reports/q$$(A)\"\n"))
        #expect(!text.contains("--report"))
    }

    @Test(
        arguments: [
            (.gitlab, "q", "the jobs of gitlab share no directory; leave out --queue"),
            (.github, "q", "the jobs of github share no directory; leave out --queue"),
            (
                .kubernetes, "q",
                "the jobs of kubernetes share only /reports/; write --queue /reports/queue"
            ),
            (
                .kubernetes, "/reports/",
                "the jobs of kubernetes share only /reports/; write --queue /reports/queue"
            ),
            (.kubernetes, "/reports/q", nil), (.slurm, "q", nil),
        ] as [(PlanEngine, String, String?)])
    func `a queue is where all jobs find it`(engine: PlanEngine, queue: String, problem: String?) {
        #expect(engine.problem(ofQueue: queue) == problem)
    }

    @Test(arguments: [["--queue", "q"], ["--queue=q"]])
    func `the queue of the words typed is that of the plan`(words: [String]) {
        let words = MatrixWords(
            ["linkcond", "matrix", "--profiles", "LTE", "--plan", "slurm"] + words + ["--", "true"])
        #expect(words.queue == "q" && words.lasting == ["--profiles", "LTE"])
        #expect(MatrixWords(["linkcond", "matrix", "--", "a", "--queue", "b"]).queue == nil)
    }

    @Test(arguments: PlanEngine.allCases)
    func `every plan is whole lines, with every part by its number`(engine: PlanEngine) throws {
        let text = try Self.text(engine, command: ["true"])
        #expect(text.last == "\n" && !text.hasSuffix("\n\n"))
        // Kubernetes and Slurm number them themselves, and are told how many there are.
        let parts =
            switch engine {
            case .kubernetes: ["completions: 3"]
            case .slurm: ["--array=1-3"]
            default: ["1/3", "2/3", "3/3"]
            }
        for part in parts { #expect(text.contains(part)) }
    }

    @Test func `engines take as many jobs as they start from one plan`() {
        let most = PlanEngine.allCases.map { $0.mostJobs }
        #expect(
            PlanEngine.allCases.map(\.rawValue)
                == ["github", "github-workflow", "gitlab", "kubernetes", "slurm", "json"])
        #expect(most == [256, 256, 200, nil, 1000, nil])
    }

    @Test func `what a job is called is short`() {
        let names = (1...10).map { "P\($0)" }
        let plan = CIPlan(Sharding(SampleMatrix.specification(names).cells, into: 1))
        #expect(plan.parts.map(\.name) == ["baseline, P1, P2 and 8 more"])
    }
}

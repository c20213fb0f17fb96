import Foundation
import LinkTesting
import Testing
import Yams

@testable import Matrix

@Suite("Plans for CI engines", .tags(.unit))
struct CIPlanTests {
    private static let plan = CIPlan(
        Sharding(
            SampleMatrix.specification(["LTE", "3G", "#\n\"Edge\""], repetitions: 2).cells, into: 3)
    )
    private static let arguments = ["--profiles", "LTE,3G", "--set", "dns.delay=3 s"]

    private static func text(_ engine: PlanEngine, command: [String] = []) throws -> String {
        try plan.text(
            for: engine, arguments: arguments, command: command, image: "registry.test/image:1")
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

    @Test func `GitLab gets jobs in YAML, and words as a shell needs them`() throws {
        let command = ["sh", "-c", "echo 'a b'; test \"$A\" = \\\\"]
        let text = try Self.text(.gitlab, command: command)
        let document = try #require(try Yams.load(yaml: text) as? [String: Any])
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

    @Test func `Kubernetes gets an indexed job, and words as they are`() throws {
        let text = try Self.text(.kubernetes, command: ["sh", "-c", "echo $(HOME) \"a\"\t\u{1b}"])
        let job = try #require(try Yams.load(yaml: text) as? [String: Any])
        let specification = try #require(job["spec"] as? [String: Any])
        #expect(specification["completions"] as? Int == 3)
        #expect(specification["completionMode"] as? String == "Indexed")
        let template = specification["template"] as? [String: [String: Any]]
        let containers = try #require(template?["spec"]?["containers"] as? [[String: Any]])
        let words = try #require(containers.first?["command"] as? [String])
        #expect(
            words == ["linkcond", "matrix"] + Self.arguments
                + [
                    "--report", "/reports/$(JOB_COMPLETION_INDEX)", "--", "sh", "-c",
                    "echo $$(HOME) \"a\"\t\u{1b}",
                ])
        #expect(containers.first?["image"] as? String == "registry.test/image:1")
        let environment = containers.first?["env"] as? [[String: String]]
        #expect(environment?.first == ["name": "LINKCOND_SHARDS", "value": "3"])
    }

    /// The words as YAML and what reads that take them, made by the parser of somebody else.
    private static func python(_ text: String, _ expression: String) async throws -> String {
        let program =
            "import sys, json, yaml; plan = yaml.safe_load(sys.stdin); print(json.dumps(\(expression)))"
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
            expanded == ["linkcond", "matrix"] + words + ["--report", "/reports/7", "--"] + words)
        #expect(try await Self.python(text, "\(container)['image']") == "\"a\\\"\\n#{b}\"\n")
    }

    @Test(arguments: PlanEngine.allCases)
    func `every plan is whole lines, with every part by its number`(engine: PlanEngine) throws {
        let text = try Self.text(engine, command: ["true"])
        #expect(text.last == "\n" && !text.hasSuffix("\n\n"))
        // Kubernetes numbers them itself, and is told how many there are.
        let parts = engine == .kubernetes ? ["completions: 3"] : ["1/3", "2/3", "3/3"]
        for part in parts { #expect(text.contains(part)) }
    }

    @Test func `engines take as many jobs as they start from one plan`() {
        let most = PlanEngine.allCases.map { $0.mostJobs }
        #expect(PlanEngine.allCases.map(\.rawValue) == ["github", "gitlab", "kubernetes", "json"])
        #expect(most == [256, 200, nil, nil])
    }

    @Test func `what a job is called is short`() {
        let names = (1...10).map { "P\($0)" }
        let plan = CIPlan(Sharding(SampleMatrix.specification(names).cells, into: 1))
        #expect(plan.parts.map(\.name) == ["baseline, P1, P2 and 8 more"])
    }
}

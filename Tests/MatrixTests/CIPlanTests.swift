import Foundation
import LinkTesting
import Testing
import Yams

@testable import Matrix

@Suite("Plans for CI engines")
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

    @Test func `what a job is called is short`() {
        let names = (1...10).map { "P\($0)" }
        let plan = CIPlan(Sharding(SampleMatrix.specification(names).cells, into: 1))
        #expect(plan.parts.map(\.name) == ["baseline, P1, P2 and 8 more"])
    }
}

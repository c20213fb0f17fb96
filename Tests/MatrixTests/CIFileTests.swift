import Foundation
import LinkTesting
import Testing

@testable import Matrix

/// What CI engines read, against what their vendors publish: by check-jsonschema and
/// kubernetes-validate, which bring the schemas along.
@Suite("Files for CI engines", .tags(.unit))
struct CIFileTests {
    private static let plan = CIPlan(
        Sharding(SampleMatrix.specification(["LTE", "3G", "#\n\"Edge\""]).cells, into: 3))

    private static func text(_ engine: PlanEngine) throws -> String {
        try plan.text(
            for: engine, arguments: ["--profiles", "LTE,3G", "--set", "dns.delay=3 s"],
            command: ["sh", "-c", "echo 'a b' \"$A\""], image: "registry.test/image:1")
    }

    private static func file(_ path: String) throws -> String {
        try String(
            contentsOfFile: "\(BuiltProduct.packageDirectory)/\(path)", encoding: .utf8)
    }

    /// The schemas of check-jsonschema.
    private enum Schema: String {
        case action = "vendor.github-actions"
        case workflow = "vendor.github-workflows"
        case gitlab = "vendor.gitlab-ci"
        case compose = "vendor.compose-spec"
    }

    private static func check(_ text: String, _ schema: Schema) async throws -> ProcessResult {
        try await withTemporaryDirectory { directory in
            let file = try directory.write(text, to: "file.yml")
            return try await PythonTool.run(
                "check_jsonschema",
                ["--verbose", "--builtin-schema", schema.rawValue, file])
        }
    }

    private static func expectValid(_ text: String, _ schema: Schema) async throws {
        let result = try await check(text, schema)
        #expect(result.exitCode == 0, "\(result.standardOutput)\(text)")
    }

    private static func checkKubernetes(_ text: String) async throws -> ProcessResult {
        try await withTemporaryDirectory { directory in
            let file = try directory.write(text, to: "file.yaml")
            return try await PythonTool.run("kubernetes_validate", ["--strict", file])
        }
    }

    /// A job that runs a matrix, as the guide has it.
    private static func workflow(matrix: String) -> String {
        """
        on: push
        jobs:
          network:
            runs-on: ubuntu-24.04
            strategy:
              matrix: \(matrix)
            name: ${{ matrix.name }}
            steps:
              - run: linkcond matrix --shard ${{ matrix.shard }}

        """
    }

    @Test func `the plan for GitHub is the matrix of a workflow`() async throws {
        try await Self.expectValid(Self.workflow(matrix: Self.text(.github)), .workflow)
        let wrong = try await Self.check(Self.workflow(matrix: "[1, 2]"), .workflow)
        #expect(wrong.exitCode == 1)
    }

    @Test func `the workflow for GitHub is one`() async throws {
        let text = try Self.text(.githubWorkflow)
        try await Self.expectValid(text, .workflow)
        let wrong = try await Self.check(
            text.replacing("needs: network", with: "need: network"), .workflow)
        #expect(wrong.exitCode == 1)
    }

    @Test func `the plan for Slurm is a clean script`() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write(Self.text(.slurm), to: "plan.sh")
            let result = try await runProcess("shellcheck", [file])
            #expect(result.exitCode == 0, "\(result.standardOutput)")
        }
    }

    @Test func `the plan for GitLab is a pipeline`() async throws {
        let text = try Self.text(.gitlab)
        try await Self.expectValid(text, .gitlab)
        let wrong = try await Self.check(
            text.replacing("when: always", with: "when: ever"), .gitlab)
        #expect(wrong.exitCode == 1)
    }

    @Test func `the plan for Kubernetes is a job of the published API`() async throws {
        let text = try Self.text(.kubernetes)
        let result = try await Self.checkKubernetes(text)
        #expect(result.exitCode == 0, "\(result.standardOutput)\(result.standardError)\(text)")
        let wrong = try await Self.checkKubernetes(
            text.replacing("backoffLimitPerIndex", with: "backoffLimitByIndex"))
        #expect(wrong.exitCode == 1)
    }

    @Test(arguments: ["job.yaml", "job-rootless.yaml", "claim.yaml"])
    func `the manifests for Kubernetes are of the published API`(name: String) async throws {
        let result = try await Self.checkKubernetes(Self.file("docs/ci/kubernetes/\(name)"))
        #expect(result.exitCode == 0, "\(result.standardOutput)\(result.standardError)")
    }

    @Test func `the manifest for Kubernetes is what the plan prints`() throws {
        let plan = CIPlan(
            Sharding(SampleMatrix.specification(["LTE", "3G", "Edge"]).cells, into: 3))
        let text = try plan.text(
            for: .kubernetes, arguments: ["--profiles", "LTE,3G,Edge"], command: ["npm", "test"],
            image: "linkcond-tests:latest")
        #expect(try Self.file("docs/ci/kubernetes/job.yaml") == text)
    }

    @Test func `the sidecar for Docker Compose is of the published specification`() async throws {
        let text = try Self.file("docs/ci/compose/compose.yaml")
        try await Self.expectValid(text, .compose)
        let wrong = try await Self.check(
            text.replacing("cap_add: [", with: "cap_add: [1, "), .compose)
        #expect(wrong.exitCode == 1)
    }

    @Test func `the proxy's services are of the published specifications`() async throws {
        let guide = try Self.file("docs/proxy-api.md")
        let blocks = guide.matches(of: /```yaml\n((?s).*?)```/).map { String($0.1) }
        try #require(blocks.count == 2)
        try await Self.expectValid(blocks[0], .compose)
        // The image's entry point is linkcond.
        #expect(blocks[0].contains("\n    command: proxy "))
        let result = try await Self.checkKubernetes(
            "apiVersion: v1\nkind: Pod\nmetadata: { name: shop }\n" + blocks[1])
        #expect(result.exitCode == 0, "\(result.standardOutput)\(result.standardError)")
    }

    @Test func `the action is one of GitHub's`() async throws {
        try await Self.expectValid(Self.file("action.yml"), .action)
    }

    /// A component has its inputs in a document of their own, and names them in the other.
    @Test func `the component for GitLab is a pipeline once its inputs are known`() async throws {
        let documents = try Self.file("docs/ci/gitlab/templates/linkcond.yml")
            .components(separatedBy: "\n---\n")
        try #require(documents.count == 2)
        var inputs: [String] = []
        let pipeline = documents[1].replacing(/\$\[\[ inputs\.([a-z0-9]+) \]\]/) { match in
            inputs.append(String(match.1))
            return match.1 == "parts" ? "3" : "text"
        }
        #expect(!pipeline.contains("$[["))
        for input in Set(inputs) { #expect(documents[0].contains("\n    \(input):\n")) }
        try await Self.expectValid(pipeline, .gitlab)
    }

    @Test func `the workflows of the guide are GitHub's`() async throws {
        let guide = try Self.file("docs/ci/README.md")
        let blocks = guide.matches(of: /```yaml\n(jobs:\n(?s).*?)```/).map { String($0.1) }
        #expect(blocks.count == 2)
        for block in blocks { try await Self.expectValid("on: push\n" + block, .workflow) }
    }
}

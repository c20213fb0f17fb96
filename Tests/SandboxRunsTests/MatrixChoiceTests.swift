import Catalog
import LinkModel
import LinkTesting
import ProfileFormat
import SandboxRuns
import Testing
import UserCatalog

@testable import Matrix

@Suite("What is said of a matrix", .tags(.unit))
struct MatrixChoiceTests {
    /// Choices with a command, so that nothing is missing but what a test leaves out.
    private static func choice(_ change: (inout MatrixChoice) -> Void) -> MatrixChoice {
        var choice = MatrixChoice()
        choice.command = ["true"]
        change(&choice)
        return choice
    }

    /// What is asked for beside a file with this text.
    private static func request(
        _ file: String, _ change: (inout MatrixChoice) -> Void = { _ in }
    ) async throws -> MatrixRequest {
        try await withTemporaryDirectory { directory in
            var choice = MatrixChoice()
            choice.file = try directory.write(file, to: "matrix.yaml")
            change(&choice)
            return try MatrixRequest(choice)
        }
    }

    private static func error(_ change: (inout MatrixChoice) -> Void) -> String? {
        let error = #expect(throws: UsageError.self) { try MatrixRequest(choice(change)) }
        return error?.description
    }

    private static let file = """
        command: npm test
        profiles: [LTE, 3G]
        repeat: 2
        retries: 3
        timeout: 5 min
        jobs: 4
        seed: 7
        set: down.loss=2%
        kind: cellular
        expect: { LTE: { exit: 3 } }
        """

    @Test func `what is not said is as in the file`() async throws {
        let request = try await Self.request(Self.file)
        let specification = request.specification
        #expect(request.command == ["/bin/sh", "-c", "npm test"] && request.jobs == 4)
        #expect(specification.profiles == ["LTE", "3G"] && specification.hasBaseline)
        #expect(specification.repetitions == 2 && specification.retries == 3)
        #expect(specification.seed == 7 && !specification.isFailFast)
        #expect(specification.timeLimits == TimeLimits(.seconds(300)))
        #expect(specification.network.settings == ["down.loss=2%"])
        #expect(specification.expectations == ["LTE": Expectations(exit: .code(3))])
        let cells = request.cells
        #expect(
            cells.map(\.id) == ["baseline/1", "baseline/2", "LTE/1", "LTE/2", "3G/1", "3G/2"])
    }

    @Test func `what is said takes the place of what the file says`() async throws {
        let request = try await Self.request(Self.file) { choice in
            choice.repetitions = 1
            choice.isWithoutBaseline = true
            choice.retries = 0
            choice.isFailFast = true
            choice.seed = 8
            choice.timeout = .seconds(9)
            choice.command = ["make", "a b"]
            choice.changeNetwork = { network in
                let said = InterfaceOverride(cost: .expensive)
                network.override = network.override.overridden(by: said)
            }
        }
        let specification = request.specification
        #expect(request.command == ["make", "a b"])
        #expect(specification.profiles == ["LTE", "3G"] && !specification.hasBaseline)
        #expect(specification.repetitions == 1 && specification.retries == 0)
        #expect(specification.seed == 8 && specification.isFailFast)
        #expect(specification.timeLimits == TimeLimits(.seconds(9)))
        #expect(
            specification.network.override
                == InterfaceOverride(cost: .expensive, kind: .cellular))
    }

    @Test func `what the file says of a profile goes by the name that is said`() async throws {
        let request = try await Self.request(Self.file) { $0.profiles = ["apple/LTE"] }
        #expect(request.specification.profiles == ["apple/LTE"])
        #expect(
            request.specification.expectations == ["apple/LTE": Expectations(exit: .code(3))])
        let other = try await Self.request(Self.file) { $0.profiles = ["Edge"] }
        #expect(other.specification.expectations.isEmpty)
    }

    private static let scenarioFile = """
        command: npm test
        profiles: [LTE]
        scenarios: [commute]
        report: out
        expect:
          default: { transferred: at most 2 MB }
          LTE: { exit: 3 }
          commute: { transferred: at most 1 MB }
        """

    @Test func `scenarios of the file are run, and defaults fill in what is not expected`()
        async throws
    {
        let request = try await Self.request(Self.scenarioFile)
        #expect(request.cells.map(\.id) == ["baseline", "LTE", "Commute"])
        #expect(request.report == "out")
        let expected = request.specification.expectations.mapValues { expectations in
            [expectations.exit?.description, expectations.transferred?.description]
        }
        #expect(
            expected == ["LTE": ["3", "at most 2 MB"], "Commute": [nil, "at most 1 MB"]])
        #expect(request.cells.last?.expectations.transferred?.description == "at most 1 MB")
    }

    @Test func `options that say what to run replace all that the file runs`() async throws {
        let profile = try await Self.request(Self.scenarioFile) { $0.profiles = ["3G"] }
        #expect(profile.cells.map(\.id) == ["baseline", "3G"])
        #expect(
            profile.specification.expectations["3G"]?.transferred?.description == "at most 2 MB")
        let scenario = try await Self.request(Self.scenarioFile) { $0.scenarios = ["commute"] }
        #expect(scenario.cells.map(\.id) == ["baseline", "Commute"])
    }

    @Test(arguments: [
        ("set: down.loss=200%", "matrix.yaml:1: set: down.loss=200%: "),
        ("set:\n  - down.delay=1 s\n  - down.colour=red", "matrix.yaml:3: set: down.colour=red: "),
        ("set: [down.loss]", "matrix.yaml:1: set: down.loss: has no value"),
        (
            "profiles: [LTE]\nset: down.trace=nowhere.down",
            "matrix.yaml:2: set: down.trace: a trace replaces the bandwidth; leave one of them out "
                + "(with LTE)"
        ),
    ])
    func `a wrong setting is said with its file and line`(file: String, message: String) async {
        let error = await #expect(throws: ProfileError.self) { try await Self.request(file) }
        #expect(error?.description.contains(message) == true, "\(error as Any)")
    }

    @Test func `a profile and a scenario of the same name are refused`() {
        var specification = MatrixSpecification(profiles: ["lift"], seed: 1)
        specification.scenarios = [MatrixScenario(name: "lift", source: "lift")]
        #expect(
            specification.problem == "lift is there twice; cells need different names")
    }

    @Test func `profiles are split at commas and stand once, whatever their names`() throws {
        let request = try MatrixRequest(
            Self.choice { $0.profiles = ["LTE, 3G", "apple/LTE,Edge"] })
        #expect(request.specification.profiles == ["LTE", "3G", "Edge"])
        let family = try MatrixRequest(
            Self.choice {
                $0.profiles = ["LTE"]
                $0.families = ["apple"]
            })
        let ids = try ProfileCatalog.entries(of: "apple", among: UserCatalog.profiles.all().entries)
            .map(\.profile.id)
        #expect(
            family.specification.profiles == ["LTE"] + ids.filter { $0 != "apple/LTE" })
    }

    @Test func `the baseline is no profile, and whoever names it has it`() throws {
        let request = try MatrixRequest(
            Self.choice {
                $0.profiles = ["Baseline,LTE"]
                $0.isWithoutBaseline = true
            })
        #expect(request.specification.profiles == ["LTE"] && request.specification.hasBaseline)
    }

    @Test func `what is missing or makes no sense is told`() async throws {
        #expect(Self.error { _ in }?.hasPrefix("there is no profile; name some with") == true)
        #expect(
            Self.error { $0.profiles = [","] } == "--profiles names none; write it as LTE,3G")
        #expect(
            Self.error {
                $0.profiles = ["LTE"]
                $0.command = []
            }?.hasPrefix("there is no command") == true)
        #expect(
            Self.error {
                $0.profiles = ["LTE"]
                $0.repetitions = 0
            } == "repeat is 0; it has to be at least 1")
        #expect(
            Self.error {
                $0.rerunFailed = "report.json"
                $0.repetitions = 2
            }?.hasPrefix("--rerun-failed takes the cells from the report") == true)
        let compared = """
            command: "true"
            profiles: [LTE]
            expect: { LTE: { duration: at most 3 x baseline } }
            """
        let error = await #expect(throws: UsageError.self) {
            try await Self.request(compared) { $0.isWithoutBaseline = true }
        }
        #expect(
            error?.description.hasPrefix("LTE is to be compared with the baseline, which") == true)
    }

    @Test func `machines share the cells, each of which one of them runs`() throws {
        var request = try MatrixRequest(Self.choice { $0.profiles = ["LTE,3G,Edge"] })
        let all = try request.share(nil, environment: [:]) { _ in }
        #expect(all.shard == nil && all.cells.map(\.id) == ["baseline", "LTE", "3G", "Edge"])
        let parts = try (1...2).map { index in
            try request.share(Shard(index: index, count: 2), environment: [:]) { _ in }
        }
        #expect(parts.map(\.shard) == [Shard("1/2"), Shard("2/2")])
        let others = parts.flatMap(\.cells).filter { !$0.isBaseline }.map(\.id)
        #expect(others.sorted() == ["3G", "Edge", "LTE"])
        var notes: [String] = []
        let variables = ["CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "2"]
        let detected = try request.share(nil, environment: variables) { notes.append($0) }
        #expect(detected.shard == Shard("2/2") && detected.cells == parts[1].cells)
        #expect(notes.count == 1 && notes[0].contains("CI_NODE_INDEX"))
    }

    @Test func `a plan has no part without cells`() throws {
        let request = try MatrixRequest(Self.choice { $0.profiles = ["LTE,3G"] })
        let words = MatrixWords(["linkcond", "matrix", "--profiles", "LTE,3G", "--", "true"])
        let plan = try request.plan(for: .github, shards: 5, image: "", words: words)
        #expect(
            plan
                == #"{"include":[{"name":"LTE","shard":"1/2"},{"name":"3G","shard":"2/2"}]}"#
                + "\n")
    }

    @Test(arguments: [["--balance-by", "report"], ["--balance-by=report"]])
    func `pods cannot balance by a report that they do not have`(words: [String]) throws {
        let request = try MatrixRequest(Self.choice { $0.profiles = ["LTE,3G"] })
        let words = MatrixWords(["linkcond", "matrix"] + words + ["--", "true"])
        let error = #expect(throws: UsageError.self) {
            try request.plan(for: .kubernetes, shards: nil, image: "", words: words)
        }
        #expect(error?.description.hasPrefix("--balance-by: the pods") == true)
        #expect(throws: Never.self) {
            try request.plan(for: .gitlab, shards: nil, image: "", words: words)
        }
    }

    /// The specification of a part, as a machine of its own computes it.
    private static func specification(
        ofPart part: Int, _ change: (inout MatrixChoice) -> Void = { _ in }
    ) throws -> MatrixSpecification {
        var request = try MatrixRequest(
            choice {
                $0.profiles = ["LTE,3G"]
                change(&$0)
            })
        let (_, cells) = try request.share(
            Shard(index: part, count: 2), environment: [:], note: { _ in })
        let all = request.specification.cells
        #expect(cells.allSatisfy { all.contains($0) })
        return request.specification
    }

    @Test func `without a seed, all machines derive the same from the request`() throws {
        let first = try Self.specification(ofPart: 1)
        #expect(try Self.specification(ofPart: 2) == first)
        #expect(try Self.specification(ofPart: 2) { $0.repetitions = 2 }.seed != first.seed)
        #expect(try Self.specification(ofPart: 2) { $0.seed = 5 }.seed == 5)
    }
}

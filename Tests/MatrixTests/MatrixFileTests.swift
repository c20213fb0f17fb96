import LinkModel
import LinkTesting
import ProfileFormat
import Testing

@testable import Matrix

@Suite("The file linkcond.yaml", .tags(.unit))
struct MatrixFileTests {
    /// A catalogue of a few profiles and scenarios, some of which have several names.
    private struct FewNames: MatrixNames {
        func profileID(_ name: String) throws -> String {
            let ids = [
                "LTE": "apple/LTE", "lte": "apple/LTE", "apple/LTE": "apple/LTE",
                "3G": "apple/3G", "100%-loss": "apple/100%-Loss",
                "baseline": "reference/Baseline", "Baseline": "reference/Baseline",
            ]
            guard let id = ids[name] else { throw Unknown(description: "\(name): no such profile") }
            return id
        }

        func profiles(ofFamily family: String) throws -> [String] {
            guard family == "apple" else { throw Unknown(description: "\(family): no such family") }
            return ["apple/LTE", "3G", "100%-loss"]
        }

        func scenarios(_ source: String) throws -> [MatrixScenario] {
            let names = ["commute": ["commute"], "C": ["commute"], "lift": ["lift"]]
            guard let found = (["all": ["commute", "lift"]].merging(names) { $1 })[source] else {
                throw Unknown(description: "\(source): no such scenario")
            }
            return found.map { MatrixScenario(name: $0, source: source) }
        }

        func check(settings: [String], of profiles: [String]) throws {
            guard let wrong = settings.last, wrong.hasSuffix("=200%") else { return }
            let names = profiles.joined(separator: "+")
            throw Unknown(description: "\(wrong): more than 100% (with \(names))")
        }
    }

    private struct Unknown: Error, CustomStringConvertible {
        let description: String
    }

    private static func read(_ text: String) throws(ProfileError) -> MatrixFile {
        try MatrixFile(parsing: text, file: "m.yaml", names: FewNames())
    }

    @Test func `values to survive are read`() throws {
        let file = try Self.read(
            """
            profiles: [LTE, 3G]
            expect:
              default: { survives: { delay: 1 s } }
              3G: { survives: { down.bandwidth: 300 kbit/s, up.loss: 5% } }
            """)
        #expect(
            file.expectations["3G"]?.survives
                == ["down.bandwidth": "300 kbit/s", "up.loss": "5%"])
        #expect(file.defaultExpectations?.survives == ["delay": "1 s"])
    }

    @Test(
        arguments: [
            ("3G: { survives: 300 kbit/s }", "has to be a list of fields"),
            ("3G: { survives: { } }", "is empty"),
            ("3G: { survives: { loss: 200% } }", "more than 100%"),
            ("commute: { survives: { down.loss: 5% } }", "commute is a scenario"),
            ("baseline: { survives: { down.loss: 5% } }", "the baseline has no conditions"),
        ])
    func `values that cannot be survived are refused`(expectation: String, problem: String) {
        let error = #expect(throws: ProfileError.self) {
            try Self.read("profiles: [3G]\nscenarios: [commute]\nexpect:\n  \(expectation)")
        }
        #expect(error.map { "\($0)" }?.contains(problem) == true, "\(String(describing: error))")
    }

    @Test func `the one of the documentation is read`() throws {
        let file = try Self.read(
            """
            command: npm test
            profiles: [baseline, LTE, 3G, 100%-loss]
            repeat: 2
            timeout: 5 min
            expect:
              100%-loss: { exit: nonzero }
              3G: { duration: at most 3 x baseline, transferred: at most 2 MB }
            """)
        #expect(file.command == ["/bin/sh", "-c", "npm test"])
        #expect(file.profiles == ["LTE", "3G", "100%-loss"])
        #expect(file.hasBaseline == true)
        #expect(file.repetitions == 2)
        #expect(file.timeLimit == .seconds(300))
        #expect(file.expectations["100%-loss"] == Expectations(exit: .nonzero))
        #expect(file.expectations["3G"]?.duration?.description == "at most 3 x baseline")
        #expect(file.expectations["3G"]?.transferred?.description == "at most 2 MB")
    }

    @Test func `everything it can say is read`() throws {
        let file = try Self.read(Self.everything)
        #expect(file.command == ["npm", "test", "--", "a b"])
        #expect(file.profiles == ["apple/LTE", "3G", "100%-loss"])
        #expect(file.scenarios?.map(\.name) == ["commute"] && file.report == "out")
        #expect(file.hasBaseline == false)
        #expect(file.jobs == 3 && file.retries == 1 && file.isFailFast == true && file.seed == 7)
        #expect(file.timeLimit == .seconds(60))
        #expect(file.timeLimits == ["apple/LTE": .seconds(10)])
        #expect(file.environment == ["CI": "1", "EMPTY": "", "TEXT": "a: b"])
        #expect(
            file.expectations == [
                "apple/LTE": Expectations(exit: .code(3), requests: .noneWhileConstrained)
            ])
        #expect(file.network.settings == ["down.loss=2%", "dns.delay=3 s"])
        #expect(file.network.servers == ["python3 -m http.server 8000"])
        #expect(file.network.serverPorts.map(\.description) == ["8000"])
        #expect(file.network.uplink == "none" && file.network.backend == .engine)
        #expect(file.network.conditionsLoopback)
        #expect(file.network.override == InterfaceOverride(lowData: .on, kind: .cellular))
        #expect(
            file.network.overrides == [
                "apple/LTE": InterfaceOverride(cost: .inexpensive, lowData: .off)
            ])
        let seen = InterfaceOverride(cost: .inexpensive, lowData: .off, kind: .cellular)
        #expect(file.network.override(of: "apple/LTE") == seen)
        #expect(file.network.override(of: "3G") == file.network.override)
    }

    @Test func `families and scenarios are run like profiles, and expectations go for them`() throws
    {
        let file = try Self.read(
            """
            command: npm test
            profiles: [LTE]
            family: apple
            scenarios: [commute, lift]
            timeout: { commute: 1 min }
            report: out/report
            expect:
              default: { transferred: at most 2 MB }
              C: { exit: SIGSEGV }
              3G: { exit: nonzero }
            """)
        #expect(file.profiles == ["LTE", "3G", "100%-loss"])
        #expect(file.scenarios?.map(\.name) == ["commute", "lift"])
        #expect(file.timeLimits == ["commute": .seconds(60)])
        #expect(file.report == "out/report")
        #expect(file.expectations["commute"] == Expectations(exit: .signal(11)))
        #expect(file.expectations["3G"] == Expectations(exit: .nonzero))
        #expect(file.defaultExpectations?.transferred?.description == "at most 2 MB")
        #expect(try Self.read("scenarios: all").scenarios?.count == 2)
        #expect(try Self.read("expect: { commute: { exit: 1 } }").expectations.count == 1)
    }

    @Test func `a command may have several lines, and nothing that confuses a terminal`() throws {
        let file = try Self.read("command: |\n  cd app\n  npm test\n")
        #expect(file.command == ["/bin/sh", "-c", "cd app\nnpm test\n"])
        #expect(throws: ProfileError.self) {
            try Self.read("command: \"echo a\\necho \\e[2J\"")
        }
    }

    /// What the file says of LTE by one of its names goes for it by another.
    private static let everything = """
        command: [npm, test, --, a b]
        profiles: [apple/LTE, 3G]
        family: [apple]
        scenarios: commute
        report: out
        baseline: false
        repeat: 1
        jobs: 3
        timeout: { default: 1 min, LTE: 10 s }
        retries: 1
        fail-fast: true
        trust-exit-code: true
        seed: 7
        env: { CI: 1, EMPTY: "", TEXT: "a: b" }
        expect: { lte: { exit: 3, requests: none while constrained }, default: { exit: SIGTERM } }
        set: [down.loss=2%, "dns.delay=3 s"]
        servers: python3 -m http.server 8000
        server-ready: [8000]
        uplink: none
        backend: engine
        loopback: true
        constrained: true
        kind: cellular
        override: { lte: { low-data: off, expensive: false } }

        """

    @Test func `the schema knows what is read`() async throws {
        let json = try await runProcess(
            "python3",
            ["-c", "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"],
            input: Self.everything)
        #expect(json.exitCode == 0, "\(json.standardError)")
        try await JSONSchema("matrix").expectValid(json.standardOutput)
    }

    @Test(arguments: [
        ("profiles: [LTE, LTEE]", "1: profiles: LTEE: no such profile"),
        ("profiles:\n  - LTE\n  - LTEE", "3: profiles: LTEE: no such profile"),
        ("profiles: []", "1: profiles: is empty; name some, such as [LTE, 3G]"),
        ("profiles: LTE", "1: profiles: has to be a list, such as [LTE, 3G]"),
        ("profiles: [LTE, lte]", "1: profiles: lte is given twice; keep one"),
        ("profiles: [[LTE]]", "1: profiles: has to be a list of names, such as [LTE, 3G]"),
        ("family: [apple, aple]", "1: family: aple: no such family"),
        ("profiles: [LTE]\nscenarios:\n  - comute", "3: scenarios: comute: no such scenario"),
        ("scenarios: []", "1: scenarios: has to be a list, such as [commute]"),
        ("scenarios: [commute, C]", "1: scenarios: commute is given twice; keep one"),
        (
            "scenarios: [commute]\nexpect:\n  lift: { exit: 1 }",
            "3: expect.lift: is not among the profiles and scenarios of this file"
        ),
        (
            "scenarios: [commute]\noverride: { commute: { kind: wifi } }",
            "2: override: commute is a scenario, which overrides by itself"
        ),
        (
            "profiles: [LTE]\nset:\n  - down.delay=1 s\n  - down.loss=200%",
            "4: set: down.loss=200%: more than 100% (with LTE)"
        ),
        ("report: [a]", "1: report: has to be a single value"),
        ("report: \"\"", "1: report: has no value; write one or leave the key out"),
        ("profles: [LTE]", "1: profles: unknown key; did you mean profiles?"),
        ("profiles: [LTE]\nrepeat: 0", "2: repeat: \"0\" is not a number from 1 to 100000"),
        ("repeat: many", "1: repeat: \"many\" is not a number from 1 to 100000"),
        ("retries: -1", "1: retries: \"-1\" is not a number from 0 to 1000"),
        ("timeout: 5", "1: timeout: \"5\" has no unit; write \"5 ms\""),
        ("timeout: [5 s]", "1: timeout: has to be a single value"),
        ("timeout:\n  LTE: 5", "2: timeout.LTE: \"5\" has no unit; write \"5 ms\""),
        ("timeout:\n  LTEE: 5 s", "2: timeout: LTEE: no such profile"),
        (
            "profiles: [LTE]\nexpect:\n  3G: { exit: 1 }",
            "3: expect.3G: is not among the profiles of this file"
        ),
        ("expect: { LTEE: { exit: 1 } }", "1: expect: LTEE: no such profile"),
        ("expect: { LTE: { exits: 1 } }", "1: expect.LTE.exits: unknown key; did you mean exit?"),
        (
            "expect:\n  LTE:\n    exit: 256",
            "3: expect.LTE.exit: \"256\" is not an exit code; write zero, nonzero, a number up "
                + "to 255, or a signal such as SIGSEGV"
        ),
        (
            "expect: { LTE: { exit: SIGSEG } }",
            "1: expect.LTE.exit: \"SIGSEG\" is not an exit code; did you mean SIGSEGV?"
        ),
        (
            "expect: { LTE: { duration: 3 s } }",
            "1: expect.LTE.duration: \"3 s\" has no limit; write \"at most\" or \"at least\" in "
                + "front, as in \"at most 3 x baseline\""
        ),
        (
            "expect: { LTE: { transferred: at most 2 } }",
            "1: expect.LTE.transferred: \"2\" has no unit; write \"2 MB\""
        ),
        (
            "expect: [LTE]",
            "1: expect: has to be a list of fields, such as { 3G: { exit: nonzero } }"
        ),
        (
            "expect: { LTE: { requests: few } }",
            "1: expect.LTE.requests: \"few\" is nothing that requests can be; write \"at most 40\" "
                + "or \"none while constrained\""
        ),
        ("constrained: on", "1: constrained: \"on\" is neither true nor false"),
        (
            "kind: 5G",
            "1: kind: \"5G\" is not one of default, wifi, cellular, wired, other, hotspot"
        ),
        (
            "cost: default\nexpensive: true",
            "2: expensive: says the same as cost; leave one out"
        ),
        (
            "override: [LTE]",
            "1: override: has to be a list of fields, such as { 3G: { constrained: true } }"
        ),
        (
            "override: { LTE: { low-data: yes } }",
            "1: override.LTE.low-data: \"yes\" is not one of default, on, off"
        ),
        ("override: { LTEE: { kind: wifi } }", "1: override: LTEE: no such profile"),
        ("env: [A]", "1: env: has to be a list of fields, such as { CI: \"1\" }"),
        ("env:\n  A: [1]", "2: env: has to be a list of names with a text each"),
        (
            "uplink: cable",
            "1: uplink: \"cable\" is not one of auto, none, relay, pasta, slirp, veth"
        ),
        ("backend: magic", "1: backend: \"magic\" is not one of auto, kernel, engine"),
        (
            "server-ready: 70000",
            "1: server-ready: \"70000\" is not a port, such as 8000 or 4433/udp"
        ),
        ("loopback: perhaps", "1: loopback: \"perhaps\" is neither true nor false"),
        ("command: []", "1: command: has to be a list, such as [npm, test]"),
        ("command: \"\"", "1: command: has no value; write one or leave the key out"),
        ("command: { a: b }", "1: command: has to be a single value"),
        ("a: [", "2: not valid YAML: did not find expected node content"),
    ])
    func `what is wrong is said with its line`(text: String, message: String) {
        let error = #expect(throws: ProfileError.self) { try Self.read(text) }
        #expect(error?.description == "m.yaml:" + message)
    }

    @Test(arguments: ["", "- LTE", "LTE", "# nothing"])
    func `what is no matrix at all is said to be none`(text: String) {
        let error = #expect(throws: ProfileError.self) { try Self.read(text) }
        #expect(error?.description.contains("is not a matrix; write") == true, "\(error as Any)")
    }
}

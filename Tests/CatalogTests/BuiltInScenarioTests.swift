import Catalog
import Foundation
import LinkModel
import LinkTesting
import Scenarios
import Testing

@Suite("Built-in scenarios", .tags(.unit))
struct BuiltInScenarioTests {
    private let catalog = ScenarioCatalog(
        directories: [], profiles: ProfileCatalog(directories: []))

    @Test func `each file is one, sound and explained`() throws {
        let directory = BuiltProduct.packageDirectory + "/Profiles/scenarios"
        let files = try FileManager.default.contentsOfDirectory(atPath: directory)
        let (entries, problems) = try catalog.all()
        #expect(problems.isEmpty)
        #expect(entries.count == files.count && entries.count >= 19)
        let texts = try files.map {
            try String(contentsOfFile: "\(directory)/\($0)", encoding: .utf8)
        }
        for entry in entries {
            let scenario = entry.scenario
            #expect(texts.contains(entry.text), "\(scenario.name)")
            #expect(scenario.problem == nil, "\(scenario.name)")
            #expect(!scenario.summary.isEmpty && !scenario.source.isEmpty, "\(scenario.name)")
            #expect(scenario.advice.count >= 3, "\(scenario.name)")
            let length = scenario.length ?? .seconds(60)
            #expect((.seconds(30)...Duration.seconds(120)).contains(length), "\(scenario.name)")
        }
    }

    @Test func `each has events, in order, whatever the seed`() throws {
        for entry in try catalog.all().entries {
            for seed in 0..<20 as Range<UInt64> {
                let events = Array(Timeline(entry.scenario, seed: seed).prefix(100))
                #expect(events.count > 2, "\(entry.scenario.name)")
                #expect(events.map(\.time) == events.map(\.time).sorted())
                #expect(events.allSatisfy { $0.time >= .zero })
                for case .change(_, _, let conditions, _) in events.map(\.action) {
                    #expect(conditions.problem == nil, "\(entry.scenario.name)")
                }
            }
        }
    }

    @Test func `every name and alias leads to one, and no two to the same`() throws {
        var seen: Set<String> = []
        for entry in try catalog.all().entries {
            for name in [entry.scenario.name] + entry.scenario.aliases {
                #expect(seen.insert(NameMatching.normalized(name)).inserted, "\(name)")
                #expect(try catalog.entry(named: name.uppercased()) == entry)
                // Else show would mean the profile.
                #expect(throws: CatalogError.self) {
                    try ProfileCatalog(directories: []).entry(named: name)
                }
            }
        }
    }

    @Test func `they conform to the schema`() async throws {
        // All in one array, since a process for each would take its time.
        let directory = BuiltProduct.packageDirectory + "/Profiles"
        let program = """
            import glob, json, sys, yaml
            from jsonschema import Draft202012Validator
            root = sys.argv[1]
            schema = json.load(open(root + "/schema/scenario.schema.json"))
            Draft202012Validator.check_schema(schema)
            validator = Draft202012Validator(schema)
            for path in glob.glob(root + "/scenarios/*.yaml"):
                for error in validator.iter_errors(yaml.safe_load(open(path))):
                    print(path, error.json_path, error.message)
            wrong = [
                {"name": "A"}, {"name": "A", "interfaces": {}},
                {"name": "A", "interfaces": {"a/b": {"profile": "LTE"}}},
            ] + [
                {"name": "A", "interfaces": {"x": {"profile": "LTE"}}, "timeline": [entry]}
                for entry in [
                    {"at": "5 s"}, {"down": True}, {"at": "5 s", "every": "5 s", "down": True},
                    {"at": "-5 s", "down": True}, {"at": 5, "down": True},
                    {"at": "5 s", "down": False}, {"at": "5 s", "wait": True},
                    {"at": "5 s", "set": {"down.dleay": "5 s"}}, {"at": "5 s", "app": "pause"},
                    {"at": "5 s", "expect": {}}, {"at": "5 s", "until": "6 s", "down": True},
                ]
            ]
            for value in wrong:
                if validator.is_valid(value):
                    print("valid, but should not be:", value)
            """
        let result = try await runProcess("python3", ["-c", program, directory])
        #expect(result.exitCode == 0, "\(result.standardError)")
        #expect(result.standardOutput == "")
    }

    @Test func `a user's scenarios are found by name, with profiles and traces beside them`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            try directory.write("name: Slow\ndown: { delay: 9 ms }\n", to: "sub/slow.yaml")
            let file = try directory.write(
                "name: My Way\naliases: [mine]\ninterfaces: { x: { profile: ./slow.yaml, "
                    + "set: { up.trace: up.trace } } }\n", to: "sub/scenarios/way.yaml")
            try directory.write(
                "name: Slow\ndown: { delay: 9 ms }\n", to: "sub/scenarios/slow.yaml")
            try directory.write("name: Broken\ninterfaces: {}\n", to: "sub/scenarios/broken.yaml")
            let catalog = ScenarioCatalog(
                directories: [directory.path + "/sub/scenarios"],
                profiles: ProfileCatalog(directories: []))
            for name in ["my way", "MINE", file] {
                let conditions = try catalog.entry(named: name).scenario.interfaces[0].profile
                    .conditions
                #expect(conditions.down.delay == .milliseconds(9))
                #expect(conditions.up.trace == directory.path + "/sub/scenarios/up.trace")
            }
            #expect(try catalog.all().problems.count == 2)
            for (name, message) in [
                ("mien", "mien: no such scenario; did you mean mine?"),
                ("xyzzyx", "xyzzyx: no such scenario; linkcond list --scenarios shows them"),
                (
                    "broken",
                    directory.path + "/sub/scenarios/broken.yaml:2: interfaces: is missing; "
                        + "write interfaces: { wifi0: { profile: WiFi } }"
                ),
            ] {
                let error = #expect(throws: CatalogError.self) { try catalog.entry(named: name) }
                #expect(error?.description == message)
            }
        }
    }

    @Test func `directories stand beside those of profiles`() {
        #expect(
            ScenarioCatalog.standardDirectories(environment: ["HOME": "/home/me"]) == [
                ".linkcond/scenarios", "/home/me/.config/linkcond/scenarios",
                "/etc/linkcond/scenarios",
            ])
    }
}

import Foundation
import LinkTesting
import Testing

@Suite("Scenarios on the command line", .tags(.unit))
struct ScenarioTests {
    private static let file = """
        name: Mine
        interfaces: { x: { profile: LTE } }
        timeline:
          - { at: 5 s ± 2 s, down: true, for: 1 s }
          - { every: 10 s, from: 10 s, expensive: true }

        """

    @Test func `the list has a line for each`() async throws {
        let result = try await runLinkcond("list", "--scenarios")
        #expect(result.exitCode == 0 && result.standardError == "")
        try Golden("list-scenarios.txt").expect(result.standardOutput)
        let json = try await runLinkcond("list", "--scenarios", "--json")
        try await JSONSchema("list-scenarios").expectValid(json.standardOutput)
        let family = try await runLinkcond("list", "--scenarios", "--family", "apple")
        #expect(family.exitCode == 64)
        #expect(family.standardError.hasPrefix("linkcond: scenarios have no families; leave"))
    }

    @Test(arguments: ["commute", "subway", "starlink-handovers", "vpn"])
    func `a scenario is shown with its events`(name: String) async throws {
        let plan = try await runLinkcond("show", name)
        #expect(plan.exitCode == 0 && plan.standardError == "")
        try Golden("show-scenario-\(name).txt").expect(plan.standardOutput)
        let events = try await runLinkcond("show", name, "--seed", "7")
        try Golden("show-scenario-\(name)-seed.txt").expect(events.standardOutput)
        for seed in [[], ["--seed", "7"]] {
            let json = try await runProcess(
                BuiltProduct.path(of: "linkcond"), ["show", name, "--json"] + seed)
            try await JSONSchema("show-scenario").expectValid(json.standardOutput)
        }
    }

    @Test func `the devices of a scenario are shown`() async throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Examples/shared-notes/two-tablets.yaml")
        try await withTemporaryDirectory { directory in
            let text = try String(contentsOf: path, encoding: .utf8)
            try directory.write(text, to: ".linkcond/scenarios/two.yaml")
            let shown = try await runLinkcond("show", "two-tablets", in: directory)
            #expect(shown.exitCode == 0 && shown.standardError == "")
            try Golden("show-scenario-two-tablets.txt").expect(shown.standardOutput)
            let json = try await runLinkcond(
                "show", "two-tablets", "--json", "--seed", "7", in: directory)
            try await JSONSchema("show-scenario").expectValid(json.standardOutput)
            let list = try await runLinkcond("list", "--scenarios", "--json", in: directory)
            try await JSONSchema("list-scenarios").expectValid(list.standardOutput)
            #expect(list.standardOutput.contains("tabletB"))
            let played = try await runLinkcond("play", "two-tablets", "-i", "x=y", in: directory)
            #expect(played.exitCode == 64)
            #expect(
                played.standardError
                    == "linkcond: Two Tablets: it has several devices (tabletA, tabletB), but this "
                    + "host is one; play it with linkcond run --scenario\n")
        }
    }

    @Test func `its YAML is the file, comments included`() async throws {
        let yaml = try await runLinkcond("show", "elevator", "--format", "yaml")
        #expect(yaml.standardOutput.contains("# the doors close"))
        try await withTemporaryDirectory { directory in
            try directory.write(yaml.standardOutput, to: "copy.yaml")
            let copy = try await runLinkcond("show", "./copy.yaml", in: directory)
            let original = try await runLinkcond("show", "elevator")
            let expected = original.standardOutput.replacing(
                "aliases     lift\n", with: "aliases     lift\nfile        ./copy.yaml\n")
            #expect(copy.standardOutput == expected)
        }
    }

    @Test func `a file is checked`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(Self.file, to: ".linkcond/scenarios/mine.yaml")
            try directory.write(
                Self.file.replacing("5 s ±", with: "1 s ±"), to: ".linkcond/scenarios/bad.yaml")
            let shown = try await runLinkcond("show", "MINE", "-v", in: directory)
            #expect(shown.exitCode == 0)
            #expect(shown.standardError == "MINE is Mine, .linkcond/scenarios/mine.yaml\n")
            let path = ".linkcond/scenarios/bad.yaml"
            let bad = try await runLinkcond("show", path, in: directory)
            #expect(bad.exitCode == 78)
            #expect(
                bad.standardError
                    == "linkcond: \(path):4: at: 1 s ± 2 s may be before the start; make the second "
                    + "time at most the first\n")
            let list = try await runLinkcond("list", "--scenarios", in: directory)
            #expect(list.exitCode == 0)
            #expect(list.standardOutput.contains("endless  x"))
            #expect(list.standardError.hasPrefix("note: \(path):4: at: "))
        }
    }

    @Test(arguments: [
        (["comute"], "comute: no such profile; did you mean Commute?"),
        (["LTEE"], "LTEE: no such profile; did you mean LTE?"),
        (["LTE", "--seed", "3"], "--seed: apple/LTE is a profile; only a scenario has times"),
        (
            ["commute", "--format", "tc"],
            "--format tc: Commute is a scenario; its formats are table, yaml and json"
        ),
    ])
    func `what cannot be shown is an error`(arguments: [String], message: String) async throws {
        let result = try await runProcess(
            BuiltProduct.path(of: "linkcond"), ["show"] + arguments,
            environment: ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"], workingDirectory: "/")
        #expect(result.exitCode == 64)
        #expect(result.standardError == "linkcond: \(message)\n")
    }

    @Test func `scenarios complete as profiles do`() async throws {
        let result = try await runLinkcond(
            "---completion", "show", "--", "positional@0", "2", "0", "linkcond show ")
        let names = result.standardOutput.split(separator: "\n")
        #expect(names.contains("Commute") && names.contains("LTE"))
        #expect(Set(names).count == names.count)
    }
}

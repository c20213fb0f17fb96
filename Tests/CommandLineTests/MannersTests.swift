import Foundation
import LinkTesting
import Testing

/// What people expect of a program on the command line.
@Suite("Manners", .tags(.unit))
struct MannersTests {
    @Test(
        "A mistyped verb is told the nearest one",
        arguments: [
            (["aply", "LTE"], "aply is no verb of linkcond; did you mean linkcond apply?"),
            (["help", "stauts"], "stauts is no verb of linkcond; did you mean linkcond status?"),
            (
                ["matrx", "--profiles", "LTE"],
                "matrx is no verb of linkcond; did you mean linkcond matrix?"
            ),
            (
                ["override", "shwo"],
                "shwo is no verb of linkcond override; did you mean linkcond override show?"
            ),
            (["frobnicate"], "frobnicate is no verb of linkcond; linkcond --help lists them"),
            (["\u{1b}[31m"], "\\u{1b}[31m is no verb of linkcond; linkcond --help lists them"),
        ])
    func mistypedVerb(words: [String], message: String) async throws {
        let result = try await runProcess(BuiltProduct.path(of: "linkcond"), words)
        #expect(result.exitCode == 64)
        #expect(result.standardError == "linkcond: \(message)\n")
    }

    @Test(arguments: [["show"], ["--frobnicate"], ["list", "--frobnicate"]])
    func `other mistakes are explained as before`(words: [String]) async throws {
        let result = try await runProcess(BuiltProduct.path(of: "linkcond"), words)
        #expect(result.exitCode == 64)
        #expect(!result.standardError.contains("no verb"))
    }

    private static func show(_ input: String, _ words: String...) async throws -> ProcessResult {
        try await runProcess(
            BuiltProduct.path(of: "linkcond"), ["show", "-"] + words, input: input)
    }

    @Test func `a profile or a scenario may come from standard input`() async throws {
        let profile = try await Self.show("name: Piped\ndown: { delay: 7 ms }\n", "--json")
        #expect(profile.exitCode == 0)
        #expect(profile.standardOutput.contains("\"Piped\""))
        let scenario = try await runLinkcond("show", "elevator", "--format", "yaml")
        #expect(scenario.exitCode == 0)
        let again = try await Self.show(scenario.standardOutput, "--format", "yaml")
        #expect(again.standardOutput == scenario.standardOutput, "\(again)")
    }

    @Test(
        arguments: [
            ("name: x\ndown: { delay: 7 }\n", "standard input:2: down.delay: \"7\" has no unit"),
            ("", "standard input: is empty"),
            (String(repeating: "# much\n", count: 10_000), "standard input: is larger than 64 KiB"),
        ])
    func `bad input has the name of standard input`(text: String, message: String) async throws {
        let result = try await Self.show(text)
        #expect(result.exitCode == 78)
        #expect(result.standardError.hasPrefix("linkcond: \(message)"), "\(result)")
    }

    @Test func `every schema of the repository is printed with what it refers to`() async throws {
        let directory = "\(BuiltProduct.packageDirectory)/Profiles/schema"
        let files = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        let list = try await runLinkcond("schema")
        #expect(list.standardOutput.split(separator: "\n").map { "\($0).schema.json" } == files)
        func object(_ text: String) throws -> [String: Any] {
            try #require(
                JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        }
        for name in list.standardOutput.split(separator: "\n").map(String.init) {
            let text = try String(
                contentsOfFile: "\(directory)/\(name).schema.json", encoding: .utf8)
            let printed = try await runLinkcond("schema", name).standardOutput
            for reference in printed.matches(of: /"\$ref": "([^#"]+)"/).map(\.output.1) {
                #expect(printed.contains("\"$id\": \"\(reference)\""), "\(name)")
            }
            var schema = try object(printed)
            if var definitions = schema["$defs"] as? [String: Any] {
                definitions["linkcond:direction"] = nil
                schema["$defs"] = definitions
            }
            #expect(try schema as NSDictionary == object(text) as NSDictionary, "\(name)")
        }
        let unknown = try await runLinkcond("schema", "profil")
        #expect(unknown.exitCode == 64)
        #expect(
            unknown.standardError == "linkcond: profil: no such schema; did you mean profile?\n")
    }

    @Test func `status that watches prints a line of JSON each time`() async throws {
        let path = try BuiltProduct.path(of: "linkcond")
        let result = try await runProcess(
            "/bin/sh", ["-c", "'\(path)' status --watch --json | head -n 2"])
        let lines = result.standardOutput.split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines {
            #expect(throws: Never.self) {
                try JSONSerialization.jsonObject(with: Data(line.utf8))
            }
        }
    }
}

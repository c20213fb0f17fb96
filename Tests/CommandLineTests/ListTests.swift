import Catalog
import Foundation
import LinkModel
import LinkTesting
import Testing

@Suite("linkcond list", .tags(.unit))
struct ListTests {
    @Test("One line for each profile, under the titles")
    func everything() async throws {
        let result = try await runLinkcond("list")
        #expect(result.exitCode == 0)
        #expect(result.standardError == "")
        let lines = result.standardOutput.split(separator: "\n")
        #expect(lines.count == ProfileCatalog.builtIn.count + 1)
        for (line, profile) in zip(lines.dropFirst(), ProfileCatalog.builtIn) {
            #expect(line.hasPrefix(profile.name) && line.hasSuffix(profile.family))
        }
    }

    @Test("The table of a family", arguments: ["apple", "satellite"])
    func table(family: String) async throws {
        let result = try await runLinkcond("list", "--family", family)
        #expect(result.exitCode == 0)
        try Golden("list-\(family).txt").expect(result.standardOutput)
        let upperCase = try await runLinkcond("list", "--family", family.uppercased())
        #expect(upperCase == result)
    }

    @Test("JSON conforms to its schema and is the same each time")
    func json() async throws {
        let result = try await runLinkcond("list", "--json")
        #expect(result.exitCode == 0)
        try await JSONSchema("list").expectValid(result.standardOutput)
        #expect(try await runLinkcond("list", "--json") == result)
        let satellites = try await runLinkcond("list", "--json", "--family", "satellite")
        let listed = try #require(
            try JSONSerialization.jsonObject(with: Data(satellites.standardOutput.utf8))
                as? [NSDictionary])
        #expect(listed.count >= 3)
        for profile in listed {
            let id = try #require(profile["id"] as? String)
            let shown = try await runLinkcond("show", id, "--json").standardOutput
            let same = try JSONSerialization.jsonObject(with: Data(shown.utf8)) as? NSDictionary
            #expect(profile == same, "\(id)")
        }
    }

    @Test("The user's profiles stand behind the others, with file, notes and clashes")
    func userProfiles() async throws {
        try await withTemporaryDirectory { directory in
            try Self.writeProfiles(in: directory)
            let list = try await runLinkcond("list", in: directory)
            #expect(list.exitCode == 0)
            let user = try await runLinkcond("list", "--family", "user", in: directory)
            #expect(user.exitCode == 0)
            try Golden("list-user.txt").expect(user.standardOutput)
            try Golden("list-user-notes.txt").expect(list.standardError)
            let json = try await runLinkcond("list", "--json", in: directory)
            try await JSONSchema("list").expectValid(json.standardOutput)
            let quiet = try await runLinkcond("list", "--quiet", in: directory)
            #expect(quiet.standardError == "")
            #expect(quiet.standardOutput == list.standardOutput)
            let verbose = try await runLinkcond("list", "-v", in: directory)
            #expect(
                verbose.standardError.hasPrefix(
                    "your profiles come from .linkcond, /nonexistent/.config/linkcond/profiles, "))
        }
    }

    private static func writeProfiles(in directory: TemporaryDirectory) throws {
        try directory.write(
            "name: LTE\naliases: [mine]\ndown: { bandwidth: 3 Mbit/s, loss: { mean: 2%, burst: 8 } }\n",
            to: ".linkcond/lte.yaml")
        try directory.write(
            "name: 光ファイバー\ndns: { delay: 2 s }\nup: { delay: 5 ms }\n", to: ".linkcond/wide.yaml")
        try directory.write(
            "name: Played\ndown: { trace: lte.trace, queue: 30 packets }\n",
            to: ".linkcond/trace.yml")
        try directory.write("name: A\ndown: { delay: 50 }\n", to: ".linkcond/broken.yaml")
        try directory.write("name: \"a\\e[31m\"\n", to: ".linkcond/evil.yaml")
        try directory.write("name: Fine\n", to: ".linkcond/\u{1b}[31m.yaml")
        try directory.write("not a profile", to: ".linkcond/notes.txt")
    }

    @Test("No terminal is coloured by a file or its name")
    func controlCharacters() async throws {
        try await withTemporaryDirectory { directory in
            try Self.writeProfiles(in: directory)
            for arguments in ["list", "--help"] {
                let result = try await runLinkcond(
                    "list", arguments == "list" ? "-v" : arguments,
                    in: directory)
                let text = result.standardOutput + result.standardError
                #expect(text.unicodeScalars.first { !$0.isPrintable && $0 != "\n" } == nil)
            }
        }
    }

    @Test(
        "A family that is not there is an error with the way out",
        arguments: [
            ("appel", "appel: no such family; did you mean apple?"),
            (
                "xyzzy",
                "xyzzy: no such family; there are android, apple, chrome, measured, patchbay, "
                    + "reference, satellite, webpagetest"
            ),
        ])
    func unknownFamily(family: String, message: String) async throws {
        let result = try await runLinkcond("list", "--family", family)
        #expect(result.exitCode == 64)
        #expect(result.standardOutput == "")
        #expect(result.standardError == "linkcond: \(message)\n")
    }
}

import ArgumentParser
import LinkTesting
import Testing

@testable import linkcond

@Suite("Help", .tags(.unit))
struct HelpTests {
    /// Those that people type.
    private static let verbs = LinkcondCommand.configuration.subcommands
        .filter { $0.configuration.shouldDisplay }.map { $0.configuration.commandName ?? "?" }

    @Test("Every verb says what it does and shows an example", arguments: verbs)
    func help(verb: String) async throws {
        let result = try await runLinkcond(verb, "--help")
        #expect(result.exitCode == 0)
        #expect(result.standardError == "")
        #expect(result.standardOutput.contains(try Regex("\n  (sudo )?linkcond \(verb)")))
        // The parser does not break its line of usage.
        let lines = result.standardOutput.split(separator: "\n").filter { !$0.hasPrefix("USAGE") }
        #expect(lines.allSatisfy { $0.count <= 80 })
        // Which fields there are is said by the table of them.
        let fields = try Regex("The fields of a direction are [^.]*\\.")
        try Golden("help-\(verb).txt").expect(
            result.standardOutput.replacing(fields, with: "The fields of a direction are these."))
    }

    @Test("The program itself names its verbs", arguments: [[], ["--help"], ["help"]])
    func program(arguments: [String]) async throws {
        let result =
            switch arguments.count {
            case 0: try await runLinkcond()
            default: try await runLinkcond(arguments[0])
            }
        #expect(result.exitCode == 0)
        #expect(result.standardError == "")
        try Golden("help.txt").expect(result.standardOutput)
    }

    @Test("Completion knows the profiles", arguments: ["bash", "zsh", "fish"])
    func completion(shell: String) async throws {
        let result = try await runLinkcond("--generate-completion-script", shell)
        #expect(result.exitCode == 0)
        #expect(result.standardOutput.contains("---completion"))
    }

    @Test("A profile completes to every name that leads to one")
    func profileNames() async throws {
        let result = try await runLinkcond(
            "---completion", "show", "--", "positional@0", "2", "0", "linkcond show ")
        #expect(result.exitCode == 0)
        let names = result.standardOutput.split(separator: "\n").map(String.init)
        for name in ["LTE", "high-loss", "Very-Bad-Network", "webpagetest/LTE"] {
            #expect(names.contains(name), "\(result)")
        }
        #expect(Set(names).count == names.count)
    }
}

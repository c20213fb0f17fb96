import ArgumentParser
import Foundation
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

    /// Every verb that people type, with its words.
    private static let all = paths(below: LinkcondCommand.self, [])

    private static func paths(
        below command: any ParsableCommand.Type, _ path: [String]
    ) -> [[String]] {
        [path]
            + command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
            .flatMap { paths(below: $0, path + [$0.configuration.commandName ?? "?"]) }
    }

    /// What needs more than a screen: the verbs with forty options.
    private static let long = [["run"]: 74, ["matrix"]: 72, ["apply"]: 68]

    @Test("Help is a screen with examples, and ends with the manual page", arguments: all)
    func screen(path: [String]) async throws {
        let program = try BuiltProduct.path(of: "linkcond")
        let result = try await runProcess(program, path + ["--help"])
        let rows = result.standardOutput.split(separator: "\n", omittingEmptySubsequences: false)
            .map { max(1, ($0.count + 79) / 80) }.reduce(0, +)
        #expect(rows <= Self.long[path, default: 60])
        let words = ["linkcond"] + path
        let example = try Regex("\n  (sudo )?\(words.joined(separator: " "))")
        #expect(result.standardOutput.contains(example))
        let end =
            "\n\n  See \(words.joined(separator: "-"))(1) or \(words.joined(separator: " ")) "
            + "--help-hidden.\n"
        #expect(result.standardOutput.hasSuffix(end))
        let help = try await runProcess(program, ["help"] + path)
        #expect(help.standardOutput == result.standardOutput)
    }

    @Test("The long form has what the screen leaves out", arguments: all)
    func whole(path: [String]) async throws {
        let program = try BuiltProduct.path(of: "linkcond")
        let whole = try await runProcess(program, path + ["--help-hidden"]).standardOutput
        let screen = try await runProcess(program, path + ["--help"]).standardOutput
        let words = Set(whole.split { $0.isWhitespace })
        let shown = screen.components(separatedBy: "\n\n  See linkcond")[0]
        #expect(shown.split { $0.isWhitespace }.filter { !words.contains($0) } == [])
        #expect(!whole.contains("--help-hidden."))
    }

    /// What only the manual pages and the long form say.
    private static let references = [
        "apply": ApplyCommand.reference, "matrix": MatrixCommand.reference,
        "play": PlayCommand.reference, "proxy": ProxyCommand.reference,
        "run": RunCommand.reference, "show": ShowCommand.reference,
    ]

    @Test("The manual pages have the reference", arguments: references.keys.sorted())
    func reference(verb: String) async throws {
        struct Dump: Decodable {
            struct Command: Decodable {
                let commandName: String
                let discussion: String?
                let subcommands: [Command]?
            }
            let command: Command
        }
        let dump = try await runLinkcond("--experimental-dump-help")
        let command = try JSONDecoder().decode(Dump.self, from: Data(dump.standardOutput.utf8))
            .command.subcommands?.first { $0.commandName == verb }
        let reference = try #require(Self.references[verb])
        #expect(command?.discussion?.contains(reference) == true)
        let help = try await runLinkcond(verb, "--help")
        #expect(!help.standardOutput.contains(reference.prefix(40)))
        let whole = try await runLinkcond(verb, "--help-hidden")
        let fields = try Regex("The fields of a direction are [^.]*\\.")
        try Golden("help-whole-\(verb).txt").expect(
            whole.standardOutput.replacing(
                fields, with: "The fields of a direction are these."))
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
        #expect(result.standardOutput.contains("---complete"))
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

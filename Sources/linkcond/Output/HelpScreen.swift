import ArgumentParser
import LinkModel
import LinuxKernel

/// What `--help` shows on one screen, and what only the manual pages add.
///
/// The manual pages and the reference are made from the argument parser's dump, and have both parts.
/// `--help-hidden` shows both where there is no manual.
enum HelpScreen {
    /// Whether the second part is wanted, too.
    static let isWhole =
        words.contains("--experimental-dump-help") || words.contains("--help-hidden")

    /// How visible options are that another verb's help explains.
    static let rare: ArgumentVisibility = isWhole ? .default : .hidden

    private static let words = Set(Process.arguments.prefix { $0 != "--" })

    /// The description of a verb.
    static func discussion(
        _ brief: String, reference: @autoclosure () -> String, examples: String,
        moreExamples: @autoclosure () -> String = ""
    ) -> String {
        let shown = isWhole ? [brief, reference()] : [brief]
        let lines =
            examples.split(separator: "\n")
            + (isWhole ? moreExamples() : "").split(separator: "\n")
        return shown.joined(separator: "\n\n") + "\n\nExamples:\n"
            + lines.map { "  \($0)" }.joined(separator: "\n")
    }

    /// The end of the help that `words` ask for.
    static func end(for words: [String]) -> String {
        var path = ["linkcond"]
        var command: any ParsableCommand.Type = LinkcondCommand.self
        for word in words.prefix(while: { $0 != "--" }) {
            guard
                let verb = command.configuration.subcommands.first(where: {
                    $0.configuration.commandName == word
                })
            else { continue }
            command = verb
            path.append(word)
        }
        let verb = path.joined(separator: " ")
        return "\n\n  See \(path.joined(separator: "-"))(1)"
            + (isWhole ? "." : " or \(verb) --help-hidden.")
    }
}

extension ArgumentHelp {
    /// A sentence for one screen, and `more` for the manual.
    init(_ brief: String, more: String, valueName: String? = nil) {
        self.init("\(HelpScreen.isWhole ? "\(brief) \(more)" : brief)", valueName: valueName)
    }
}

import ArgumentParser
import LinkModel

/// A word in the place of a verb that is none, with the nearest verb.
struct UnknownVerb: CustomStringConvertible {
    /// One sentence with the remedy.
    let description: String

    /// Makes nothing of words that begin with known verbs, or with an option.
    init?(in words: [String]) {
        var command: any ParsableCommand.Type = LinkcondCommand.self
        var path = "linkcond"
        for word in words {
            let verbs = command.configuration.subcommands
            guard !verbs.isEmpty, !word.hasPrefix("-") else { return nil }
            if let verb = verbs.first(where: { $0.configuration.commandName == word }) {
                command = verb
                path += " \(word)"
            } else if word != "help" {
                let names = verbs.filter { $0.configuration.shouldDisplay }
                    .compactMap { $0.configuration.commandName }
                let remedy =
                    NameMatching.suggestion(for: word, among: names)
                    .map { "did you mean \(path) \($0)?" } ?? "\(path) --help lists them"
                description = "\(word) is no verb of \(path); \(remedy)"
                return
            }
        }
        return nil
    }
}

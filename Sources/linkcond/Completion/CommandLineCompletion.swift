import ArgumentParser
import LinkModel

/// What can stand at the end of a command line that is being typed.
///
/// The argument parser's own scripts compare in the shell, each shell by its own rules: they complete
/// no name in another case, no path where names are expected, and nothing behind `--`. Here the shell
/// only passes its words and shows the answer, so that all shells complete the same.
struct CommandLineCompletion {
    /// One line of the answer to the shell.
    enum Answer: Hashable {
        /// The whole word in place of the unfinished one, and what it is.
        case word(String, about: String)
        /// A path behind `head`, which belongs to the same word.
        case files(head: String)
        /// A directory behind `head`.
        case directories(head: String)
        /// The words from this one on are a command; the program's name is word 0.
        case command(from: Int)

        /// Kind, text and explanation, with tabs between them.
        var line: String {
            switch self {
            case .word(let word, let about): "word\t\(word)\t\(about)"
            case .files(let head): "files\t\(head)\t"
            case .directories(let head): "directories\t\(head)\t"
            case .command(let index): "command\t\(index)\t"
            }
        }
    }

    private var verb: any ParsableCommand.Type = LinkcondCommand.self
    /// Those of the verb, once something depends on them: to describe them takes longest.
    private lazy var arguments = CompletableArgument.all(of: verb)
    private var given: Set<String> = []
    private var positionals = 0
    private var isHelp = false
    /// The option whose value is next.
    private var pending: CompletableArgument?
    private var answer: [Answer] = []

    private init(verb: any ParsableCommand.Type = LinkcondCommand.self, isHelp: Bool = false) {
        self.verb = verb
        self.isHelp = isHelp
    }

    /// - Parameter words: Those behind the program's name; the last one is unfinished, maybe empty.
    static func answers(to words: [String]) -> [Answer] {
        var completion = CommandLineCompletion()
        completion.read(words)
        return completion.answer
    }

    private mutating func read(_ words: [String]) {
        for (index, word) in words.dropLast().enumerated() {
            if pending != nil {
                pending = nil
            } else if word == "--" {
                guard arguments.contains(where: \.isCommand) else { return }
                // The program's name comes before `words`.
                answer = [.command(from: index + 2)]
                return
            } else if word.hasPrefix("-") {
                let name = String(word.prefix { $0 != "=" })
                given.insert(name)
                let option = arguments.first { $0.names.contains(name) }
                if let option, option.takesValue, !word.contains("=") { pending = option }
                if let option { given.formUnion(option.names) }
            } else {
                takePositional(word)
            }
        }
        complete(words.last ?? "")
    }

    private mutating func takePositional(_ word: String) {
        guard positionals == 0 else {
            positionals += 1
            return
        }
        if word == "help", verb == LinkcondCommand.self {
            isHelp = true
        } else if let child = verb.configuration.subcommands.first(where: {
            $0.configuration.commandName == word
        }) {
            self = CommandLineCompletion(verb: child, isHelp: isHelp)
        } else {
            positionals += 1
        }
    }

    private mutating func complete(_ typed: String) {
        if let pending {
            offer(valuesOf: pending, typed: typed, head: "")
        } else if typed.hasPrefix("-") {
            guard let sign = typed.firstIndex(of: "=") else { return offerOptions(typed) }
            let name = String(typed[..<sign])
            guard let option = arguments.first(where: { $0.names.contains(name) }) else { return }
            offer(
                valuesOf: option, typed: String(typed[sign...].dropFirst()), head: "\(name)=")
        } else {
            if positionals == 0 { offerVerbs(typed) }
            // What stands behind the program's name can only be a verb.
            if !isHelp, verb != LinkcondCommand.self, let argument = findPositional() {
                offer(valuesOf: argument, typed: typed, head: "")
            }
            if answer.isEmpty, typed.isEmpty, !isHelp { offerOptions(typed) }
        }
    }

    private mutating func findPositional() -> CompletableArgument? {
        let all = arguments.filter { $0.names.isEmpty && !$0.isCommand }
        return positionals < all.count
            ? all[positionals] : all.last.flatMap { $0.isRepeating ? $0 : nil }
    }

    private mutating func offerVerbs(_ typed: String) {
        for child in verb.configuration.subcommands where child.configuration.shouldDisplay {
            guard let name = child.configuration.commandName, name.hasPrefix(typed) else {
                continue
            }
            answer.append(.word(name, about: child.configuration.abstract))
        }
        if verb == LinkcondCommand.self, !isHelp, "help".hasPrefix(typed) {
            answer.append(.word("help", about: "Shows the help of a verb."))
        }
    }

    private mutating func offerOptions(_ typed: String) {
        for argument in arguments
        where argument.isRepeating || given.isDisjoint(with: argument.names) {
            for name in argument.names where name.hasPrefix(typed) {
                // Short ones only if a short one is being typed.
                guard name.hasPrefix("--") || typed == "-" || typed == name else { continue }
                answer.append(.word(name, about: argument.about))
            }
        }
        if arguments.contains(where: \.isCommand), "--".hasPrefix(typed) {
            answer.append(.word("--", about: "The command follows."))
        }
    }

    private mutating func offer(valuesOf argument: CompletableArgument, typed: String, head: String)
    {
        switch argument.values {
        case .none: return
        case .files:
            answer.append(.files(head: head))
        case .directories:
            answer.append(.directories(head: head))
        case .words, .custom:
            let end = typed.lastIndex { $0 == "," || $0 == "=" }
            let before = end.map { String(typed[...$0]) } ?? ""
            let part = typed.dropFirst(before.count)
            if argument.values == .custom, let first = part.first, "./~".contains(first) {
                answer.append(.files(head: head + before))
            } else {
                let found = Self.matches(argument.candidates(of: verb, typed: typed), typed)
                answer += found.map { .word(head + $0, about: "") }
            }
        }
    }

    /// The candidates that begin with `typed` in any case, each once.
    ///
    /// Shells insert what all have in common, which must not be less than what was typed.
    static func matches(_ candidates: [String], _ typed: String) -> [String] {
        let wanted = typed.lowercased()
        var seen: Set<String> = []
        let found = candidates.filter { candidate in
            let lower = candidate.lowercased()
            return lower.hasPrefix(wanted) && seen.insert(lower).inserted
        }
        let heads = Set(found.map { $0.prefix(typed.count) })
        return heads.count < 2 ? found : found.map { typed + $0.dropFirst(typed.count) }
    }
}

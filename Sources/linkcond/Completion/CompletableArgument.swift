import ArgumentParser
import FoundationEssentials

/// An argument of a verb, as the argument parser describes it.
struct CompletableArgument {
    /// What its value can be.
    enum Values: Hashable {
        /// Nothing that is known.
        case none
        case words([String])
        case files
        case directories
        /// What its `CompletionKind` computes.
        case custom
    }

    /// `-i`, `--interface`; empty for a positional argument.
    let names: [String]
    let about: String
    let takesValue: Bool
    let isRepeating: Bool
    /// Whether it is the command behind `--`.
    let isCommand: Bool
    let values: Values
    /// How the parser's own request for completions names it.
    private let key: String

    /// The arguments of a verb. Only this verb is described: all of them take longer.
    static func all(of verb: any ParsableCommand.Type) -> [CompletableArgument] {
        let text = message(of: verb, for: ["--experimental-dump-help"])
        guard let dump = try? JSONDecoder().decode(Dump.self, from: Data(text.utf8)) else {
            return []
        }
        var positional = 0
        return (dump.command.arguments ?? []).map { described in
            defer { if described.kind == "positional" { positional += 1 } }
            return CompletableArgument(described, positional: positional)
        }
    }

    private init(_ described: Dump.Argument, positional: Int) {
        names = (described.names ?? []).map { ($0.kind == "short" ? "-" : "--") + $0.name }
        about = described.abstract ?? ""
        takesValue = described.kind == "option"
        isRepeating = described.isRepeating
        isCommand = described.parsingStrategy == "postTerminator"
        key = described.kind == "positional" ? "positional@\(positional)" : names.last ?? ""
        values =
            switch described.completionKind {
            case .none: described.allValues.map { .words($0) } ?? .none
            case .some(let kind) where kind.file != nil: .files
            case .some(let kind) where kind.directory != nil: .directories
            case .some(let kind) where kind.list != nil: .words(kind.list?.values ?? [])
            case .some: .custom
            }
    }

    /// The possible values, whatever is typed of them.
    func candidates(of verb: any ParsableCommand.Type, typed: String) -> [String] {
        if case .words(let words) = values { return words }
        let request = ["---completion", "--", key, "0", "\(typed.count)", typed]
        return Self.message(of: verb, for: request).split(separator: "\n").map(String.init)
    }

    /// What the parser prints for `words` instead of running the verb.
    private static func message(of verb: any ParsableCommand.Type, for words: [String]) -> String {
        do {
            _ = try verb.parseAsRoot(words)
            return ""
        } catch {
            return verb.exitCode(for: error).isSuccess ? verb.fullMessage(for: error) : ""
        }
    }
}

/// The parts of the argument parser's dump that completion needs.
private struct Dump: Decodable {
    struct Command: Decodable {
        let arguments: [Argument]?
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }
        struct Kind: Decodable {
            struct Nothing: Decodable {}
            struct List: Decodable {
                let values: [String]
            }
            let list: List?
            let file: Nothing?
            let directory: Nothing?
        }
        let kind: String
        let names: [Name]?
        let abstract: String?
        let isRepeating: Bool
        let parsingStrategy: String?
        let allValues: [String]?
        let completionKind: Kind?
    }

    let command: Command
}

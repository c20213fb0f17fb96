import LinkModel
import Yams

/// Why a text is not a profile: the file, line and field, what is wrong, and the remedy.
public struct ProfileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file as the user named it, or its substitute, such as an option.
    public let file: String
    /// The line, counted from 1, if known.
    public let line: Int?
    /// The path of the field, such as `down.delay`; empty for the file as a whole.
    public let field: String
    /// What is wrong and what to do about it.
    public let explanation: String

    /// Makes an error about a field of a file.
    public init(file: String, line: Int? = nil, field: String = "", explanation: String) {
        self.file = file
        self.line = line
        self.field = field
        self.explanation = explanation
    }

    /// `lte.yaml:7: down.delay: "50" has no unit; write "50 ms"`, always one printable line.
    public var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        let text = field.isEmpty ? explanation : "\(field): \(explanation)"
        return "\(place): \(text)".printable
    }
}

extension ProfileError {
    /// Describes the YAML parser's error in one line.
    init(_ error: YamlError, file: String) {
        let line: Int?
        let explanation: String
        switch error {
        case .scanner(_, let problem, let mark, let text),
            .parser(_, let problem, let mark, let text),
            .composer(_, let problem, let mark, let text):
            line = mark.line
            explanation = Self.explanation(of: problem, inLine: mark.line, of: text)
        case .duplicatedKeysInMapping(let duplicates, let context):
            line = context.mark.line
            let keys = duplicates.sorted().joined(separator: ", ")
            explanation = "\(keys) is given twice; keep one"
        case .reader(_, let offset, _, let text):
            line = offset.map { 1 + text.prefix($0).count(where: \.isNewline) }
            explanation = "has characters that no text has; a profile is a YAML text in UTF-8"
        default:
            line = nil
            explanation = "not valid YAML: \(error)"
        }
        self.init(file: file, line: line, explanation: explanation)
    }

    /// The parser's finding, with the remedy for common mistakes.
    private static func explanation(of problem: String, inLine line: Int, of text: String) -> String
    {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let indentation = lines.dropFirst(line - 1).first?.prefix { $0 == " " || $0 == "\t" }
        if indentation?.contains("\t") == true {
            return "not valid YAML: a tab indents this line; indent with blanks"
        }
        if problem.contains("another document") {
            return "a second profile begins here; a file holds one"
        }
        return "not valid YAML: \(problem)"
    }
}

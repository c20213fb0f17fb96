import LinkModel
import YAMLReading

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
    init(_ error: YAMLError, in text: String, file: String) {
        let place: Int?
        let explanation: String
        switch error {
        case .invalid(let line, let problem):
            place = line
            explanation = Self.explanation(of: problem, inLine: line, of: text)
        case .duplicateKeys(let keys, let line):
            place = line
            explanation = "\(keys.joined(separator: ", ")) is given twice; keep one"
        case .furtherDocument(let line):
            place = line
            explanation = "a second profile begins here; a file holds one"
        case .forbiddenCharacter(let line):
            place = line
            explanation = "has characters that no text has; a profile is a YAML text in UTF-8"
        case .noMemory:
            place = nil
            explanation = "there is no memory left to read it"
        }
        self.init(file: file, line: place, explanation: explanation)
    }

    /// The parser's finding, with the remedy for common mistakes.
    private static func explanation(of problem: String, inLine line: Int, of text: String) -> String
    {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let indentation = lines.dropFirst(line - 1).first?.prefix { $0 == " " || $0 == "\t" }
        if indentation?.contains("\t") == true {
            return "not valid YAML: a tab indents this line; indent with blanks"
        }
        return "not valid YAML: \(problem)"
    }
}

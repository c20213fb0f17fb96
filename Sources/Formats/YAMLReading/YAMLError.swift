/// Why a text could not be read. Lines are counted from 1.
public enum YAMLError: Error, Sendable, Hashable {
    /// The text breaks a rule of YAML.
    case invalid(line: Int, problem: String)
    /// Keys occur more than once in a mapping.
    case duplicateKeys([String], line: Int)
    /// Another document begins.
    case furtherDocument(line: Int)
    /// A character that YAML does not allow, such as a NUL.
    case forbiddenCharacter(line: Int)
    /// The parser got no memory.
    case noMemory
}

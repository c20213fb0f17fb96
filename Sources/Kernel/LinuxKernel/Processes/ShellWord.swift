/// A text as one word of a shell's command: the only way in which commands for people, scripts and
/// CI engines get names that others have chosen.
public struct ShellWord: Sendable, Hashable, CustomStringConvertible {
    /// The word as it is to be written: as it is, or in single quotes, between which POSIX shells
    /// take every character for itself, line breaks too.
    public let description: String

    /// Quotes `text` where the shell would see more in it.
    public init(_ text: String) {
        guard text.isEmpty || Self.isAssignment(text) || !text.utf8.allSatisfy(Self.isPlain)
        else {
            description = text
            return
        }
        // By bytes: an accent behind a quotation mark makes one character of both.
        let parts = text.utf8.split(
            separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        description = "'" + parts.map { String(Substring($0)) }.joined(separator: #"'\''"#) + "'"
    }

    /// The words of a command on a line.
    public static func line(_ words: [String]) -> String {
        words.map { ShellWord($0).description }.joined(separator: " ")
    }

    /// A remark among commands, which stays on its line.
    public static func comment(_ text: String) -> String {
        // A carriage return is an ordinary character to a shell, but not to whoever reads it.
        "# " + String(text.map { $0.isNewline ? " " : $0 })
    }

    /// In front of a command that would be a variable.
    private static func isAssignment(_ text: String) -> Bool {
        guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return false }
        return text.utf8[..<sign].allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "_") }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || "_-+=:,./@%".utf8.contains(byte)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

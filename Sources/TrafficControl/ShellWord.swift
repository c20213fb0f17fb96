/// A text as one word of a shell's command, quoted where the shell would see more in it.
public struct ShellWord: Sendable, Hashable, CustomStringConvertible {
    /// The word as it is to be written.
    public let description: String

    /// Quotes `text` if that is needed.
    public init(_ text: String) {
        guard text.isEmpty || !text.utf8.allSatisfy(Self.isPlain) else {
            description = text
            return
        }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        description = "'" + parts.joined(separator: #"'\''"#) + "'"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_-.@".utf8.contains(byte)
        }
    }
}

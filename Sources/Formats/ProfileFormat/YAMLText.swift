package import YAMLReading

/// Calls the YAML parser with limits against hostile input.
package enum YAMLText {
    /// More than any profile uses, and few enough that their expansion stays small.
    private static let aliasLimit = 20
    /// The largest text accepted with aliases, so that a few of them cannot expand beyond memory.
    private static let longestWithAliases = 64 * 1024

    /// The node in `text`, or nil if it is empty.
    package static func compose(_ text: String, file: String) throws(ProfileError) -> YAMLNode? {
        let aliasLimit = text.utf8.count > longestWithAliases ? 0 : aliasLimit
        guard aliasCount(in: text) <= aliasLimit else {
            throw ProfileError(
                file: file,
                explanation: "has more than \(aliasLimit) aliases (*name); write the values out")
        }
        // The parser rejects the byte order mark that some editors write.
        let isMarked = text.unicodeScalars.first == "\u{feff}"
        let unmarked = isMarked ? String(text.unicodeScalars.dropFirst()) : text
        do {
            return try YAMLDocument.read(unmarked)
        } catch {
            throw ProfileError(error, in: unmarked, file: file)
        }
    }

    /// An upper bound for the number of aliases in `text`.
    ///
    /// An alias stands for a copy of its anchor, including the aliases in there: nested a few dozen
    /// times, a small file expands beyond any time in which somebody walks it.
    private static func aliasCount(in text: String) -> Int {
        var count = 0
        var isBehindAsterisk = false
        for byte in text.utf8 {
            if isBehindAsterisk, isPartOfName(byte) { count += 1 }
            isBehindAsterisk = byte == UInt8(ascii: "*")
        }
        return count
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

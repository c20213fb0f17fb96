/// The text in the alias of one of our interfaces: words, and last the profile name, which may
/// contain blanks. It survives any crash and needs no file.
public struct MarkText {
    /// The words after the prefix that are not `key=value`.
    public var words: [String] = []
    /// The value of each key.
    public var values: [String: String] = [:]
    /// The name of the profile.
    public var profile = ""

    /// The kernel's limit is 256 bytes, including the zero at the end.
    public static let longest = 254
    /// The longest name of conditions in a mark. Command lines limit names further; a longer one
    /// would leave no room for the rest of the mark.
    public static let longestName = 64

    private static let profileKey = " profile="

    /// How many bytes are left for the profile and any other text before it.
    public static func room(behind words: [String]) -> Int {
        longest - words.joined(separator: " ").utf8.count - profileKey.utf8.count
    }

    /// The alias with these words; the first is the prefix.
    public static func alias(_ words: [String], profile: String) -> String {
        words.joined(separator: " ") + profileKey + shortened(profile, to: room(behind: words))
    }

    /// The part of a text that fits, in whole characters, followed by `ending`.
    public static func shortened(_ text: String, to bytes: Int, ending: String = "") -> String {
        guard text.utf8.count > bytes else { return text }
        // A character takes at least one byte.
        var text = text.prefix(max(0, bytes))
        while !text.isEmpty, text.utf8.count + ending.utf8.count > bytes { text.removeLast() }
        return text + ending
    }

    /// Parses an alias; nil if it does not begin with the prefix or names no profile.
    public init?(alias: String, prefix: String) {
        guard alias.hasPrefix(prefix + " "), let end = alias.firstRange(of: Self.profileKey)
        else { return nil }
        for word in alias[..<end.lowerBound].split(separator: " ").dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 {
                values[String(parts[0])] = String(parts[1])
            } else {
                words.append(String(word))
            }
        }
        profile = String(alias[end.upperBound...])
    }

    /// The name of the conditions; nil if it is missing or invalid.
    public var name: String? {
        values["name"].flatMap { $0.utf8.count <= Self.longestName ? $0 : nil }
    }
}

/// What the alias of an interface of ours says: words, and last the name of the profile, which may
/// hold blanks. It survives any crash and needs no file.
public struct MarkText {
    /// What stands behind the prefix and is no `key=value`.
    public var words: [String] = []
    /// What stands behind each key.
    public var values: [String: String] = [:]
    /// The name of the profile.
    public var profile = ""

    /// The kernel takes 256 bytes, of which the zero at the end is one.
    public static let longest = 254
    /// The longest name of conditions that a mark may have. No command line takes one as long; it
    /// would leave no room for what stands behind it.
    public static let longestName = 64

    private static let profileKey = " profile="

    /// How many bytes are left for the profile, and for what else is put in front of it.
    public static func room(behind words: [String]) -> Int {
        longest - words.joined(separator: " ").utf8.count - profileKey.utf8.count
    }

    /// The alias with these words, of which the first is the prefix.
    public static func alias(_ words: [String], profile: String) -> String {
        words.joined(separator: " ") + profileKey + shortened(profile, to: room(behind: words))
    }

    /// As much of a text as has room, in whole characters, and then `ending`.
    public static func shortened(_ text: String, to bytes: Int, ending: String = "") -> String {
        guard text.utf8.count > bytes else { return text }
        // A character has at least a byte.
        var text = text.prefix(max(0, bytes))
        while !text.isEmpty, text.utf8.count + ending.utf8.count > bytes { text.removeLast() }
        return text + ending
    }

    /// Reads an alias; nil if it does not begin with the prefix or names no profile.
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

    /// The name of the conditions; nil if there is none, or one that was never given.
    public var name: String? {
        values["name"].flatMap { $0.utf8.count <= Self.longestName ? $0 : nil }
    }
}

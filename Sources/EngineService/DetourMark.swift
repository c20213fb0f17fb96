/// What the alias of a wire says that the engine has made, so that any later process recognises it
/// from the kernel alone.
struct DetourMark: Hashable {
    /// The index of the interface whose packets it carries.
    var target: Int32
    /// When that was conditioned, in seconds since 1970.
    var since: Int64
    /// The name that tells its conditions from others of the interface.
    var name: String
    /// The name of the profile.
    var profile: String

    /// Another word than the kernel's data plane has, which must not take it for its own.
    private static let prefix = "linkcond-engine/1"
    /// The kernel takes 256 bytes, of which the zero at the end is one.
    private static let longest = 254

    init(target: Int32, since: Int64, name: String, profile: String) {
        self.target = target
        self.since = since
        self.name = name
        self.profile = profile
    }

    /// The alias. The profile comes last because it may hold blanks.
    var alias: String {
        let words = "\(Self.prefix) of=\(target) since=\(since) name=\(name) profile="
        var profile = profile
        while (words + profile).utf8.count > Self.longest { profile.removeLast() }
        return words + profile
    }

    /// Reads an alias; nil if it is not one of these.
    init?(alias: String) {
        let words = alias.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
        guard words.count == 5, words[0] == Self.prefix,
            let target = Self.value(words[1], of: "of").flatMap({ Int32($0) }),
            let since = Self.value(words[2], of: "since").flatMap({ Int64($0) }),
            let name = Self.value(words[3], of: "name"),
            let profile = Self.value(words[4], of: "profile")
        else { return nil }
        self.init(target: target, since: since, name: String(name), profile: String(profile))
    }

    private static func value(_ word: Substring, of name: String) -> Substring? {
        word.hasPrefix(name + "=") ? word.dropFirst(name.count + 1) : nil
    }
}

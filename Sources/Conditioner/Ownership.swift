import LinkModel
import TrafficControl

/// How linkcond marks what it adds, so that any later process recognises it from the kernel alone.
///
/// Each direction of a conditioned interface has an ifb of its own, whose index, name, group and
/// alias say whose it is; filters are recognised by their preference.
enum Ownership {
    /// The link group of every ifb of ours.
    static let group: UInt32 = 7181

    /// What stands in every action of ours.
    static let cookie = Array("linkcond".utf8)

    /// Beyond every index that the kernel gives out by itself.
    private static let firstIndex: Int32 = 0x4c00_0000

    /// The largest index of an interface that has room for its two ifbs.
    static let lastConditionable: Int32 = 0x00ff_ffff

    /// The ifb of one direction of the interface with this index.
    static func ifb(of index: Int32, _ direction: Direction) -> Interface {
        Interface(
            index: firstIndex + 2 * index + (direction == .up ? 0 : 1),
            name: "lc\(direction == .up ? "u" : "d")\(index)")
    }

    /// The preferences of our filters. Behind all others: what foreign filters do is done first,
    /// and what they take is not ours to condition.
    enum Preference {
        static func neighborDiscovery(_ direction: Direction) -> UInt16 { base(direction) }
        static func ipv4(_ direction: Direction) -> UInt16 { base(direction) + 1 }
        static func ipv6(_ direction: Direction) -> UInt16 { base(direction) + 2 }

        // Apart for the two directions: the kernel lists the u32 filters of both hooks together.
        private static func base(_ direction: Direction) -> UInt16 {
            direction == .up ? 65_181 : 65_281
        }

        static func isOurs(_ preference: UInt16) -> Bool {
            Direction.allCases.contains { (base($0)...base($0) + 2).contains(preference) }
        }
    }

    /// The qdiscs of a tree. Majors below 0x8000 are never given out by the kernel.
    enum Handle {
        static let segmenter = QdiscHandle(major: 0x1c0d)
        static let delayLine = QdiscHandle(major: 0x1c0e)
        static let bottleneck = QdiscHandle(major: 0x1c0f)
        static let dnsBands = QdiscHandle(major: 0x1c10)
        static let tail = QdiscHandle(major: 0x1c11)
        static let dnsTail = QdiscHandle(major: 0x1c12)
        static let shaper = QdiscHandle(major: 0x1c13)
        static let activeQueue = QdiscHandle(major: 0x1c14)
    }
}

/// What the alias of an ifb of ours says. It survives any crash and needs no file.
struct OwnershipMark: Hashable {
    /// The direction that the ifb conditions.
    var direction: Direction
    /// The index of the interface that it belongs to.
    var target: Int32
    /// When it was made, in seconds since 1970.
    var since: Int64
    /// Whether the interface had no clsact before, so that it goes when we go.
    var madeClsact: Bool
    /// The shape of the jitter, which the kernel does not tell.
    var distribution: Jitter.Distribution?
    /// The name of the profile.
    var profile: String

    private static let prefix = "linkcond/1"

    /// The kernel takes 255 bytes, of which the zero at the end is one.
    private static let longestProfile = 150

    /// The alias. The profile comes last because it may hold blanks.
    var alias: String {
        var words = [
            Self.prefix, direction.rawValue, "of=\(target)", "since=\(since)",
            "clsact=\(madeClsact ? "made" : "kept")",
        ]
        if let distribution { words.append("jitter=\(distribution.rawValue)") }
        var name = profile
        while name.utf8.count > Self.longestProfile { name.removeLast() }
        words.append("profile=\(name)")
        return words.joined(separator: " ")
    }

    /// Reads an alias; nil if it is not one of ours.
    init?(alias: String) {
        let words = alias.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count >= 6, words[0] == Self.prefix,
            let direction = Direction(rawValue: words[1])
        else { return nil }
        var values: [String: String] = [:]
        for (index, word) in words.enumerated().dropFirst(2) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            guard parts[0] != "profile" else {
                values["profile"] = words[index...].joined(separator: " ").dropPrefix("profile=")
                break
            }
            values[String(parts[0])] = String(parts[1])
        }
        guard let target = values["of"].flatMap({ Int32($0) }),
            let since = values["since"].flatMap({ Int64($0) }), let profile = values["profile"]
        else { return nil }
        self.init(
            direction: direction, target: target, since: since,
            madeClsact: values["clsact"] == "made",
            distribution: values["jitter"].flatMap(Jitter.Distribution.init), profile: profile)
    }

    init(
        direction: Direction, target: Int32, since: Int64, madeClsact: Bool,
        distribution: Jitter.Distribution?, profile: String
    ) {
        self.direction = direction
        self.target = target
        self.since = since
        self.madeClsact = madeClsact
        self.distribution = distribution
        self.profile = profile
    }
}

extension String {
    fileprivate func dropPrefix(_ prefix: String) -> String { String(dropFirst(prefix.count)) }
}

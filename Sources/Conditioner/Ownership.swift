import LinkModel
import TrafficControl

/// How linkcond marks what it adds, so that any later process recognises it from the kernel alone.
///
/// Several conditions may stand on an interface side by side, each under a name and with a number,
/// its slot. Each direction of each has an ifb of its own, whose index, name, group and alias say
/// whose it is; filters are recognised by their preference.
enum Ownership {
    /// The link group of every ifb of ours.
    static let group: UInt32 = 7181

    /// What stands in every action of ours.
    static let cookie = Array("linkcond".utf8)

    /// Beyond every index that the kernel gives out by itself.
    private static let firstIndex: Int32 = 0x4c00_0000

    /// The largest index of an interface that has room for its two ifbs.
    static let lastConditionable: Int32 = 0x00ff_ffff

    /// How many conditions an interface has room for: the indexes of ifbs end at 0x7fff_ffff.
    static let slots = 0..<24

    /// The ifb of one direction of the conditions in a slot of the interface with this index.
    static func ifb(of index: Int32, _ direction: Direction, slot: Int = 0) -> Interface {
        Interface(
            index: firstIndex + Int32(slot) * 2 * (lastConditionable + 1) + 2 * index
                + (direction == .up ? 0 : 1),
            name: "lc\(direction == .up ? "u" : "d")\(index)" + (slot == 0 ? "" : ".\(slot)"))
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
    /// The name that tells these conditions from others of the interface.
    var name = ApplyRequest.defaultName
    /// The number that tells their ifbs and filters from those of others.
    var slot = 0
    /// Which traffic they are for, as `TrafficSelector.text` has it. What the alias has no room
    /// for is left out, for a `~`.
    var selection = ""
    /// When they end by themselves; nil: never.
    var limit: TimeLimit?

    /// Where the filters stand.
    var place: FilterPlace {
        FilterPlace(direction: direction, slot: slot, isSelective: isSelective)
    }

    /// What the selection chooses; nil if a part of it was left out.
    var selector: TrafficSelector? { TrafficSelector(text: selection) }

    private var isSelective: Bool { !(selection.isEmpty || selection.hasPrefix(";")) }

    private static let prefix = "linkcond/1"

    /// The kernel takes 256 bytes, of which the zero at the end is one.
    private static let longestAlias = 254
    /// The longest name that the command line takes, and then some.
    private static let longestName = 64
    /// What is kept of a profile's name however long the selection is.
    private static let shortestProfile = 40

    /// The alias. The profile comes last because it may hold blanks.
    var alias: String {
        var words = [
            Self.prefix, direction.rawValue, "of=\(target)", "since=\(since)",
            "clsact=\(madeClsact ? "made" : "kept")",
        ]
        if let distribution { words.append("jitter=\(distribution.rawValue)") }
        if slot != 0 { words.append("slot=\(slot)") }
        if name != ApplyRequest.defaultName { words.append("name=\(name)") }
        words += limit?.words ?? []
        var room = Self.longestAlias - words.joined(separator: " ").utf8.count
        room -= " profile=".utf8.count
        if !selection.isEmpty {
            room -= " select=".utf8.count
            let kept = Self.shortened(
                selection, to: room - min(profile.utf8.count, Self.shortestProfile), ending: "~")
            words.append("select=\(kept)")
            room -= kept.utf8.count
        }
        words.append("profile=\(Self.shortened(profile, to: room, ending: ""))")
        return words.joined(separator: " ")
    }

    private static func shortened(_ text: String, to bytes: Int, ending: String) -> String {
        guard text.utf8.count > bytes else { return text }
        var text = text
        while text.utf8.count + ending.utf8.count > bytes, !text.isEmpty { text.removeLast() }
        return text + ending
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
            distribution: values["jitter"].flatMap(Jitter.Distribution.init), profile: profile,
            name: values["name"] ?? ApplyRequest.defaultName,
            slot: values["slot"].flatMap { Int($0) } ?? 0, selection: values["select"] ?? "",
            limit: TimeLimit(words: values))
        // What was never given would leave no room for what stands behind it.
        guard Ownership.slots.contains(slot), name.utf8.count <= Self.longestName else {
            return nil
        }
    }

    init(
        direction: Direction, target: Int32, since: Int64, madeClsact: Bool,
        distribution: Jitter.Distribution?, profile: String,
        name: String = ApplyRequest.defaultName, slot: Int = 0, selection: String = "",
        limit: TimeLimit? = nil
    ) {
        self.direction = direction
        self.target = target
        self.since = since
        self.madeClsact = madeClsact
        self.distribution = distribution
        self.profile = profile
        self.name = name
        self.slot = slot
        self.selection = selection
        self.limit = limit
    }
}

extension String {
    fileprivate func dropPrefix(_ prefix: String) -> String { String(dropFirst(prefix.count)) }
}

import DataPlane
import LinkModel
import TrafficControl

/// How linkcond marks what it adds, so that any later process recognises it from the kernel alone.
///
/// Several conditions may stand on an interface side by side, each under a name and with a number,
/// its slot. Each direction of each has an ifb of its own, whose index, name, group and alias say
/// whose it is; filters are recognised by their preference.
enum Ownership {
    /// Beyond every index that the kernel gives out by itself.
    private static let firstIndex: Int32 = 0x4c00_0000

    /// The largest index of an interface that has room for its two ifbs.
    static let lastConditionable: Int32 = 0x00ff_ffff

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
        if !selection.isEmpty {
            let room = MarkText.room(behind: words + ["select="])
            words.append(
                "select="
                    + MarkText.shortened(
                        selection, to: room - min(profile.utf8.count, Self.shortestProfile),
                        ending: "~"))
        }
        return MarkText.alias(words, profile: profile)
    }

    /// Reads an alias; nil if it is not one of ours.
    init?(alias: String) {
        guard let text = MarkText(alias: alias, prefix: Self.prefix), text.words.count == 1,
            let direction = Direction(rawValue: text.words[0]),
            let target = text.values["of"].flatMap({ Int32($0) }),
            let since = text.values["since"].flatMap({ Int64($0) })
        else { return nil }
        self.init(
            direction: direction, target: target, since: since,
            madeClsact: text.values["clsact"] == "made",
            distribution: text.values["jitter"].flatMap(Jitter.Distribution.init),
            profile: text.profile, name: text.values["name"] ?? ApplyRequest.defaultName,
            slot: text.values["slot"].flatMap { Int($0) } ?? 0,
            selection: text.values["select"] ?? "", limit: TimeLimit(words: text.values))
        // What was never given would leave no room for what stands behind it.
        guard Slot.all.contains(slot), name.utf8.count <= MarkText.longestName else { return nil }
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

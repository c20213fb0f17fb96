import DataPlane
import LinkModel
import LinkUnits
import TrafficControl

/// How linkcond marks what it adds, so that any later process recognises it from the kernel alone.
///
/// An interface can have several conditions, each with a name and a number, its slot. Each
/// direction of each has its own ifb, identified by index, name, group and alias; filters are
/// identified by their preference.
enum Ownership {
    /// Higher than any index that the kernel assigns by itself.
    private static let firstIndex: Int32 = 0x1000_0000

    /// The largest interface index for which there are ifb indexes.
    static let lastConditionable: Int32 = 0x007f_ffff

    /// The ifb of one direction of the conditions in a slot of the interface with this index.
    static func ifb(of index: Int32, _ direction: Direction, slot: Int = 0) -> Interface {
        Interface(
            index: firstIndex + Int32(slot) * 2 * (lastConditionable + 1) + 2 * index
                + (direction == .up ? 0 : 1),
            name: "lc\(direction == .up ? "u" : "d")\(index)" + (slot == 0 ? "" : ".\(slot)"))
    }

    /// Which ifb has this index; nil if none of ours does.
    static func part(
        ofIndex index: Int32
    ) -> (target: Int32, direction: Direction, slot: Int)? {
        guard index >= firstIndex else { return nil }
        let (slot, rest) = (index - firstIndex).quotientAndRemainder(
            dividingBy: 2 * (lastConditionable + 1))
        return Slot.all.contains(Int(slot))
            ? (rest / 2, rest.isMultiple(of: 2) ? .up : .down, Int(slot)) : nil
    }

    /// The handles of a tree's qdiscs. The kernel never assigns major numbers below 0x8000.
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

/// The content of the alias of one of our ifbs. It survives any crash and needs no file.
struct OwnershipMark: Hashable {
    /// The direction that the ifb conditions.
    var direction: Direction
    /// The index of its interface.
    var target: Int32
    /// When it was created, in seconds since 1970.
    var since: Int64
    /// Whether we created the interface's clsact, which is then deleted with our conditions.
    var madeClsact: Bool
    /// The jitter distribution, which the kernel does not report.
    var distribution: Jitter.Distribution?
    /// The name of the profile.
    var profile: String
    /// The name that distinguishes these conditions from others of the interface.
    var name = ApplyRequest.defaultName
    /// The slot that distinguishes their ifbs and filters from others.
    var slot = 0
    /// The conditioned traffic as a `TrafficSelector.text`. A `~` replaces the part that does not
    /// fit into the alias.
    var selection = ""
    /// When they end automatically; nil: never.
    var limit: TimeLimit?
    /// The longest frame that passes the segmenter, which the kernel does not report.
    var longestFrame = ConditionedLink.shortestLimit

    /// The place of the filters.
    var place: FilterPlace {
        FilterPlace(direction: direction, slot: slot, isSelective: isSelective)
    }

    /// The parsed selection; nil if a part of it was left out.
    var selector: TrafficSelector? { TrafficSelector(text: selection) }

    private var isSelective: Bool { !(selection.isEmpty || selection.hasPrefix(";")) }

    private static let prefix = "linkcond/1"

    /// How much of a profile name is always kept, however long the selection.
    private static let shortestProfile = 40

    /// The alias. The profile comes last because it may contain blanks.
    var alias: String {
        var words = [
            Self.prefix, direction.rawValue, "of=\(target)", "since=\(since)",
            "clsact=\(madeClsact ? "made" : "kept")",
        ]
        if let distribution { words.append("jitter=\(distribution.rawValue)") }
        if slot != 0 { words.append("slot=\(slot)") }
        if name != ApplyRequest.defaultName { words.append("name=\(name)") }
        if longestFrame > ConditionedLink.shortestLimit {
            words.append("frame=\(longestFrame.bytes)")
        }
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
}

extension OwnershipMark {
    /// Parses an alias; nil if it is not one of ours.
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
        if let bytes = text.values["frame"].flatMap({ UInt64($0) }) {
            longestFrame = ByteCount(bytes: bytes)
        }
        // Such values are never written; a longer name would leave no room for the rest.
        guard Slot.all.contains(slot), name.utf8.count <= MarkText.longestName else { return nil }
    }
}

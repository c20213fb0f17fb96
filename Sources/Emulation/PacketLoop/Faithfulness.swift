import LinkModel
import LinkUnits
import PacketEngine

/// Whether loops did exactly what the conditions say.
public struct Faithfulness: Sendable, Hashable {
    /// Packets dropped for lack of time or memory.
    private let machineDrops: UInt64
    /// Those of them for which there was no memory.
    private let memoryDrops: UInt64
    /// Packets that could not be read.
    private let unreadable: UInt64
    /// Packets that the kernel took for wrong.
    private let refused: UInt64
    /// How long packets passed by the link.
    private let bypass: Duration
    /// The direction with the latest packets, if too many were late.
    private let latest: DirectionStatistics?
    /// How long the machine could not fill the link, if that was more than occasional.
    private let shortage: ProcessorShortage?

    /// As many late packets prove nothing, however few there were together.
    static let excusedPackets: UInt64 = 2
    /// A shorter total shortage may have other causes.
    static let leastShortage = Duration.milliseconds(500)

    /// Judges by these statistics.
    public init(_ loops: LoopStatistics...) {
        self.init(loops)
    }

    /// Judges by these statistics.
    public init(_ loops: [LoopStatistics]) {
        self.init(loops.flatMap { [$0.up, $0.down] })
    }

    /// Judges by the statistics of these directions.
    public init(_ ways: [DirectionStatistics]) {
        machineDrops = ways.reduce(0) { $0 + $1.unwantedDrops - $1.unreadable - $1.refused }
        unreadable = ways.reduce(0) { $0 + $1.unreadable }
        refused = ways.reduce(0) { $0 + $1.refused }
        memoryDrops = ways.reduce(0) { $0 + $1.memoryDrops }
        bypass = ways.map(\.bypass).max() ?? .zero
        latest = ways.filter(\.isLate).max { $0.typicalLateness < $1.typicalLateness }
        shortage = ways.filter(\.isShort).map(\.shortage).max { $0.duration < $1.duration }
    }

    /// Whether the loops were faithful.
    public var isGiven: Bool {
        machineDrops == 0 && unreadable == 0 && refused == 0 && bypass == .zero && latest == nil
            && shortage == nil
    }

    /// What the user should know; nil if the loops were faithful.
    public var note: String? {
        let (busy, others) = (machineFacts, otherFacts)
        guard !busy.isEmpty || !others.isEmpty else { return nil }
        let beginning =
            busy.isEmpty
            ? "the emulation was not exact: "
            : "this machine was too busy for the emulation to be exact: "
        return beginning + (busy + others).joined(separator: "; ")
    }

    /// What had other causes than the machine's speed and size.
    private var otherFacts: [String] {
        var facts: [String] = []
        if unreadable > 0 { facts.append("\(unreadable) packets could not be read and were lost") }
        if refused > 0 { facts.append("the kernel refused \(refused) packets, which were lost") }
        return facts
    }

    private var machineFacts: [String] {
        var facts: [String] = []
        if machineDrops > 0 {
            let cause = memoryDrops > 0 ? ", \(memoryDrops) of them for lack of memory" : ""
            facts.append(
                "\(machineDrops) packets were lost that the profile did not lose\(cause)")
        }
        if bypass > .zero {
            facts.append("for \(bypass.roundedText) packets passed as without conditions")
        }
        if let latest { facts.append(latest.latenessText) }
        if let shortage, let bandwidth = shortage.bandwidth {
            let carried = shortage.carriedRate?.roundedText ?? "nothing"
            facts.append(
                "for \(shortage.duration.roundedText) it had no processor time left to carry more "
                    + "than \(carried) of \(bandwidth.roundedText)")
        }
        return facts
    }
}

extension DirectionStatistics {
    /// Whether more than one packet in a hundred was late.
    fileprivate var isLate: Bool {
        late.packets > max(Faithfulness.excusedPackets, lateness.count / 100)
    }

    /// The lateness that one packet in a hundred exceeded; the largest of fewer.
    fileprivate var typicalLateness: Duration { lateness.quantile(.percent(99)) ?? .zero }

    fileprivate var latenessText: String {
        let extent = lateness.count < 100 ? "by up to" : "1% of all by more than"
        return "\(late.packets) of \(lateness.count) packets were late, "
            + "\(extent) \(typicalLateness.roundedText)\(late.momentText)"
    }

    /// Whether more than a hundredth of the bytes passed while the machine was at its limit.
    fileprivate var isShort: Bool {
        shortage.duration >= Faithfulness.leastShortage
            && shortage.carried.bytes > link.arrivedBytes.bytes / 100
    }
}

extension LatePackets {
    /// In which second the most of them were late.
    fileprivate var momentText: String {
        guard let worst else { return "" }
        return worst.packets == packets
            ? "; all in second \(worst.second)"
            : "; the most, \(worst.packets), in second \(worst.second)"
    }
}

extension Duration {
    /// The length to two digits or whole milliseconds, for people.
    fileprivate var roundedText: String {
        let unit = Duration.microseconds(self < .milliseconds(10) ? 100 : 1000)
        return (unit * Int((self / unit).rounded())).unitText
    }
}

extension Bandwidth {
    /// The rate to two digits or three, for people.
    fileprivate var roundedText: String {
        var unit: UInt64 = 1
        while bitsPerSecond / unit >= 1000 { unit *= 10 }
        let rounded = bitsPerSecond.addingSaturated(unit / 2) / unit * unit
        return (Bandwidth(bitsPerSecond: rounded) ?? self).description
    }
}

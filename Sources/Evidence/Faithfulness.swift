import LinkUnits
public import PacketLoop

/// Whether loops did what the conditions say and nothing else.
public struct Faithfulness: Sendable, Hashable {
    /// Packets lost for want of time or memory.
    private let unwantedDrops: UInt64
    /// What one packet in a hundred was later than, if that is too much.
    private let lateness: Duration?

    /// One packet in a hundred may be as late as this.
    static let tolerance = Duration.milliseconds(5)
    /// Of fewer packets than this, one in a hundred is none.
    static let leastPackets = 100

    /// Judges by what was counted.
    public init(_ loops: LoopStatistics...) {
        self.init(loops)
    }

    /// Judges by what was counted.
    public init(_ loops: [LoopStatistics]) {
        self.init(loops.flatMap { [$0.up, $0.down] })
    }

    /// Judges by what was counted in these directions.
    public init(_ ways: [DirectionStatistics]) {
        unwantedDrops = ways.reduce(0) { $0 + $1.unwantedDrops }
        lateness = ways.filter { $0.lateness.count >= Self.leastPackets }
            .compactMap { $0.lateness.quantile(.percent99) }
            .filter { $0 > Self.tolerance }
            .max()
    }

    /// Whether they did.
    public var isGiven: Bool { unwantedDrops == 0 && lateness == nil }

    /// What the user should know; nil if they did.
    public var note: String? {
        var facts: [String] = []
        if unwantedDrops > 0 {
            facts.append("\(unwantedDrops) packets were lost that the profile did not lose")
        }
        if let lateness {
            facts.append("1% of the packets were more than \(lateness.roundedText) late")
        }
        guard !facts.isEmpty else { return nil }
        return "this machine was too busy for the emulation to be exact: "
            + facts.joined(separator: "; ")
    }
}

extension DirectionStatistics {
    /// Packets lost for want of time or memory, which no conditions asked for.
    var unwantedDrops: UInt64 { socketDrops + memoryDrops + unreadable + sendFailures }
}

extension Ratio {
    static let half = Ratio(0.5) ?? .one
    static let percent99 = Ratio(0.99) ?? .one
}

extension Duration {
    /// The length in whole milliseconds, for people.
    fileprivate var roundedText: String { "\(Int64((milliseconds).rounded())) ms" }
}

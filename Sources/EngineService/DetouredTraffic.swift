import LinkModel
public import TrafficControl

/// Which packets of an interface go through the engine.
public struct DetouredTraffic: Sendable, Hashable {
    /// As options of the command line; none for all traffic.
    public var selectors: [String]
    /// Whether not all traffic is meant, exceptions apart. Such comes before what is for all.
    public var isSelective: Bool
    /// Rules of nft for packets that leave, of which the first that matches decides.
    public var up: [String]
    /// Rules of nft for packets that arrive.
    public var down: [String]
    /// The same choice as filters of u32, for kernels whose nftables has no hooks on devices; nil
    /// if it takes too many.
    public var filters: FilterChoice?
    /// The selector that all of this was made of, in a word.
    public var word: String

    /// What a rule says of packets that go through the engine.
    public static let verdict = "fwd to engine"

    /// Makes a choice; by default all of IP but what neighbours say to each other.
    public init(
        selectors: [String] = [], isSelective: Bool = false, up: [String] = everything,
        down: [String] = everything, filters: FilterChoice? = .everything, word: String = ""
    ) {
        self.selectors = selectors
        self.isSelective = isSelective
        self.up = up
        self.down = down
        self.filters = filters
        self.word = word
    }

    /// Rules for all traffic.
    public static let everything = [
        "icmpv6 type 133-137 accept", "meta protocol ip \(verdict)",
        "meta protocol ip6 \(verdict)",
    ]

    /// The rules of a direction, with the interface that leads to the engine.
    func rules(_ direction: Direction, entrance: String) -> [String] {
        (direction == .up ? up : down).map {
            $0.replacing(Self.verdict, with: "fwd to \"\(entrance)\"")
        }
    }
}

/// Reads the word of a selector, from which everything else about the chosen traffic is made.
public struct TrafficReader: Sendable {
    /// nil for what is no such word.
    public let read: @Sendable (_ word: String) -> DetouredTraffic?

    /// Wraps what reads.
    public init(_ read: @escaping @Sendable (_ word: String) -> DetouredTraffic?) {
        self.read = read
    }

    /// Where a decoder has it.
    static let key = CodingUserInfoKey(rawValue: "TrafficReader")
}

/// Only the word is sent. The engine makes rules of what it reads there, so that nobody can send it
/// a rule.
extension DetouredTraffic: Codable {
    /// Writes the word.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(word)
    }

    /// Reads a word by the reader that the decoder has.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let reader = TrafficReader.key.flatMap { decoder.userInfo[$0] } as? TrafficReader
        guard let traffic = reader?.read(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "no selector of traffic")
        }
        self = traffic
    }
}

/// Which packets of an interface go through the engine, as filters of u32.
public struct FilterChoice: Sendable, Hashable {
    /// What is looked at in packets of one protocol; the first rule that matches decides.
    public struct Part: Sendable, Hashable {
        /// The protocol.
        public var networkProtocol: Filter.NetworkProtocol
        /// The rules.
        public var rules: [U32Rule]

        /// Makes a part.
        public init(_ networkProtocol: Filter.NetworkProtocol, _ rules: [U32Rule]) {
            self.networkProtocol = networkProtocol
            self.rules = rules
        }
    }

    /// For packets that leave.
    public var up: [Part]
    /// For packets that arrive.
    public var down: [Part]

    /// What is looked at in a direction.
    func parts(_ direction: Direction) -> [Part] {
        (direction == .up ? up : down).filter { !$0.rules.isEmpty }
    }

    /// Every packet has to pass them all.
    private static let mostMatches = 3000

    /// All of IP, but for what neighbours say to each other.
    public static let everything: FilterChoice? = {
        let discovery = [(type: UInt8(0x84), mask: UInt8(0xfc)), (type: 0x88, mask: 0xfe)].map {
            U32Rule(
                matches: [.ipv6NextHeader(58), .icmpv6Type($0.type, mask: $0.mask)],
                isChosen: false)
        }
        let parts = [
            Part(.ipv4, [U32Rule(matches: [], isChosen: true)]),
            Part(.ipv6, discovery + [U32Rule(matches: [], isChosen: true)]),
        ]
        return FilterChoice(up: parts, down: parts)
    }()

    /// Makes a choice; nil for one that takes too many rules.
    public init?(up: [Part], down: [Part]) {
        let matches = (up + down).flatMap(\.rules).reduce(0) { $0 + 1 + $1.matches.count }
        guard matches <= Self.mostMatches else { return nil }
        self.up = up
        self.down = down
    }
}

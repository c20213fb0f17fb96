public import LinkModel
public import TrafficControl

/// Which packets of an interface go through the engine.
public struct DetouredTraffic: Sendable, Hashable, Codable {
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
    /// The same choice in a word, for who made it.
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

/// Which packets of an interface go through the engine, as filters of u32.
public struct FilterChoice: Sendable, Hashable, Codable {
    /// What is looked at in packets of one protocol; the first rule that matches decides.
    public struct Part: Sendable, Hashable, Codable {
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

    /// So many comparisons at most fit into a request, and every packet has to pass them.
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

/// What `apply` asks of the packet engine.
public struct EngineRequest: Sendable, Hashable, Codable {
    /// What the links do. Files of delivery traces have to have absolute paths.
    public var conditions: LinkConditions
    /// The name under which `status` shows it.
    public var profile: String
    /// The indexes of the interfaces.
    public var interfaces: [Int32]
    /// The directions to be conditioned.
    public var directions: [Direction]
    /// Which packets are conditioned.
    public var traffic: DetouredTraffic
    /// The name that tells these conditions from others of the same interface.
    public var name: String
    /// Whether an interface that is conditioned already is changed.
    public var replaces: Bool
    /// Whether to go on where filters of other programs see packets first.
    public var isForced: Bool
    /// Where the random numbers begin; nil: anywhere.
    public var seed: UInt64?
    /// The time, in seconds since 1970.
    public var now: Int64
    /// When the conditions end; nil: when they are taken away.
    public var limit: EngineLimit?

    /// Asks for conditions.
    public init(
        conditions: LinkConditions, profile: String, name: String = "default",
        traffic: DetouredTraffic = DetouredTraffic(), interfaces: [Int32],
        directions: [Direction] = Direction.allCases, replaces: Bool = false,
        isForced: Bool = false, seed: UInt64? = nil, now: Int64, limit: EngineLimit? = nil
    ) {
        self.conditions = conditions
        self.profile = profile
        self.name = name
        self.traffic = traffic
        self.interfaces = interfaces
        self.directions = directions
        self.replaces = replaces
        self.isForced = isForced
        self.seed = seed
        self.now = now
        self.limit = limit
    }
}

/// When conditions end, and who sees to that. The engine only keeps it in mind.
public struct EngineLimit: Sendable, Hashable, Codable {
    /// The moment, in seconds since 1970, if one was given.
    public var until: Int64?
    /// The process with which they end, if one was given.
    public var process: Int32?
    /// The name of the process that ends them.
    public var watcher: String

    /// Makes a limit.
    public init(until: Int64?, process: Int32?, watcher: String) {
        self.until = until
        self.process = process
        self.watcher = watcher
    }
}

/// Conditions of an interface that the packet engine carries out.
public struct EmulatedInterface: Sendable, Hashable, Codable {
    /// What passed in one direction.
    public struct Counters: Sendable, Hashable, Codable {
        /// Packets delivered.
        public var packets: UInt64
        /// Bytes delivered, IP headers included.
        public var bytes: UInt64
        /// Packets dropped by the queue.
        public var dropped: UInt64
        /// Packets lost by the loss model.
        public var lost: UInt64
        /// Packets on the way now.
        public var queuedPackets: UInt64
        /// The rate of delivery in the last second.
        public var bitsPerSecond: UInt64
    }

    /// One direction.
    public struct Way: Sendable, Hashable, Codable {
        /// What the link does.
        public var conditions: DirectionConditions
        /// What passed.
        public var counters: Counters
    }

    /// The index of the interface.
    public var index: Int32
    /// Its name.
    public var interface: String
    /// The name that tells these conditions from others of the interface.
    public var name: String
    /// Which traffic they are for, as options of the command line; none for all.
    public var selectors: [String]
    /// The same in the word that `DetouredTraffic` had.
    public var word: String
    /// Their number among those of the interface.
    public var slot: Int
    /// The name of the profile.
    public var profile: String
    /// When it was conditioned, in seconds since 1970.
    public var since: Int64
    /// When the conditions end; nil: when they are taken away.
    public var limit: EngineLimit?
    /// Where the random numbers began.
    public var seed: UInt64
    /// The conditioned directions.
    public var ways: [Direction: Way]
    /// Extra delay of outgoing DNS.
    public var dnsDelay: Duration?
    /// Why it was not exactly what the conditions say; nil if it was.
    public var flaw: String?
}

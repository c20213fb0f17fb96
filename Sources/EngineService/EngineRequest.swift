public import LinkModel

/// What `apply` asks of the packet engine.
public struct EngineRequest: Sendable, Hashable, Codable {
    /// What the links do. The engine opens no file that they name.
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

extension EngineRequest {
    private static let longestName = 32
    private static let mostInterfaces = 4096

    /// Throws for what no command line asks for.
    func check() throws(EngineError) {
        let isName =
            (1...Self.longestName).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."):
                    true
                default: false
                }
            }
        // It becomes the name of a file.
        let isWatcher =
            limit.map { limit in
                (1...Self.longestName).contains(limit.watcher.utf8.count)
                    && limit.watcher.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            } ?? true
        guard isName, isWatcher, (1...Self.mostInterfaces).contains(interfaces.count),
            Set(interfaces).count == interfaces.count, !directions.isEmpty
        else { throw .unintelligible }
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
    /// One direction.
    public struct Way: Sendable, Hashable, Codable {
        /// What the link does.
        public var conditions: DirectionConditions
        /// What passed.
        public var counters: DirectionCounters
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

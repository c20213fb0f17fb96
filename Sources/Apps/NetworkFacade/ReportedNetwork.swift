/// What programs in a sandbox are told of the network.
public struct ReportedNetwork: Sendable, Hashable {
    /// How far the network reaches.
    public enum Reach: Sendable, Hashable {
        /// No interface is up.
        case none
        /// To neighbours: there is no default route.
        case local
        /// To everywhere.
        case everywhere
    }

    /// How far the network reaches.
    public var reach: Reach
    /// The interfaces, the preferred one first, without the loopback.
    public var interfaces: [ReportedInterface]

    /// Makes a network.
    public init(reach: Reach, interfaces: [ReportedInterface]) {
        self.reach = reach
        self.interfaces = interfaces
    }

    /// A network without anything.
    public static let nothing = ReportedNetwork(reach: .none, interfaces: [])

    /// The interface that carries what goes everywhere.
    var primary: ReportedInterface? {
        reach == .everywhere ? interfaces.first { $0.isUp } : nil
    }

    var metered: MeteredFlag { primary?.metered ?? .unknown }
}

/// What programs are told of an interface.
public struct ReportedInterface: Sendable, Hashable {
    /// What it is, as far as NetworkManager tells these apart.
    public enum Kind: Sendable, Hashable {
        case wired, wifi, cellular, other
    }

    /// The kernel's number of it, which it keeps when it is renamed.
    public var index: UInt32
    /// Its name.
    public var name: String
    /// What it is.
    public var kind: Kind
    /// Whether it can carry anything.
    public var isUp: Bool
    /// What it costs.
    public var metered: MeteredFlag

    /// Makes an interface.
    public init(index: UInt32, name: String, kind: Kind, isUp: Bool, metered: MeteredFlag) {
        self.index = index
        self.name = name
        self.kind = kind
        self.isUp = isUp
        self.metered = metered
    }
}

/// Whether traffic costs money or is short, in NetworkManager's numbers (`NMMetered`).
public enum MeteredFlag: UInt32, Sendable, Hashable {
    case unknown = 0
    case yes = 1
    case no = 2
    case guessYes = 3
    case guessNo = 4

    /// What an interface's marks come to.
    ///
    /// Linux has no word for Low Data Mode. Whoever asks for it wants programs to save, and what
    /// makes programs save is a metered network: so it counts as one, but as a guess.
    public init(isExpensive: Bool, isConstrained: Bool) {
        self = isExpensive ? .yes : isConstrained ? .guessYes : .guessNo
    }

    /// Whether programs take it for metered.
    public var isMetered: Bool { self == .yes || self == .guessYes }
}

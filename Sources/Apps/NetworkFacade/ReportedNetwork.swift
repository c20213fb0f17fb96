/// The network as reported to programs in a sandbox.
public struct ReportedNetwork: Sendable, Hashable {
    /// How far the network reaches.
    public enum Reach: Sendable, Hashable {
        /// No interface is up.
        case none
        /// Only neighbours: there is no default route.
        case local
        /// Only a captive portal.
        case portal
        /// Everywhere.
        case everywhere
    }

    /// How far the network reaches.
    public var reach: Reach
    /// The interfaces, most preferred first, without the loopback.
    public var interfaces: [ReportedInterface]

    /// Makes a network.
    public init(reach: Reach, interfaces: [ReportedInterface]) {
        self.reach = reach
        self.interfaces = interfaces
    }

    /// A network without interfaces.
    public static let nothing = ReportedNetwork(reach: .none, interfaces: [])

    /// The interface of the default route, if there is one.
    var primary: ReportedInterface? {
        [.portal, .everywhere].contains(reach) ? interfaces.first { $0.isUp } : nil
    }

    var metered: MeteredFlag { primary?.metered ?? .unknown }
}

/// An interface as reported to programs.
public struct ReportedInterface: Sendable, Hashable {
    /// The kind of interface, as far as NetworkManager distinguishes them.
    public enum Kind: Sendable, Hashable {
        case wired, wifi, cellular, other
    }

    /// The kernel's interface index, which survives renaming.
    public var index: UInt32
    /// Its name.
    public var name: String
    /// The kind of interface.
    public var kind: Kind
    /// Whether it is up and has a carrier.
    public var isUp: Bool
    /// Whether it is metered.
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

/// Whether traffic costs money or should be saved, with NetworkManager's numbers (`NMMetered`).
public enum MeteredFlag: UInt32, Sendable, Hashable {
    case unknown = 0
    case yes = 1
    case no = 2
    case guessYes = 3
    case guessNo = 4

    /// The flag for an interface's marks.
    ///
    /// Linux has no concept of Low Data Mode. Its purpose is that programs use less data, and on
    /// Linux they do so on a metered network. So Low Data Mode counts as metered, but as a guess.
    public init(isExpensive: Bool, isConstrained: Bool) {
        self = isExpensive ? .yes : isConstrained ? .guessYes : .guessNo
    }

    /// Whether programs treat the network as metered.
    public var isMetered: Bool { self == .yes || self == .guessYes }
}

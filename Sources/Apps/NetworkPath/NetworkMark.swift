import LinuxKernel

/// An override of an interface: a mark that the kernel stores with it.
///
/// The mark is a token at the end of the interface's alias (`ip link show`), after any foreign
/// text: `uplink of rack 7 [linkcond:1 exp con]`. So it belongs to the interface's network
/// namespace, follows renames, vanishes with the interface, can be read without privileges, and its
/// changes are rtnetlink events. `linkcond override` writes it; a sandbox of `linkcond run`
/// describes its interfaces the same way.
public struct NetworkMark: Hashable, Sendable {
    /// Whether traffic costs money.
    public enum Cost: String, Hashable, Sendable, CaseIterable, Codable {
        /// Derived from the kind of interface: a mobile network or a hotspot is expensive.
        case `default`
        /// Free of charge by volume, whatever the kind.
        case inexpensive
        /// Charged by volume.
        case expensive
    }

    /// Whether traffic costs money.
    public var cost: Cost
    /// Whether it is in Low Data Mode; nil: derived from the kind of interface.
    public var isConstrained: Bool?
    /// The kind of interface; nil: the kernel's.
    public var kind: NetworkInterface.Kind?
    /// Whether it is a phone's hotspot, which is expensive and constrained by default.
    public var isHotspot: Bool
    /// Whether it is preferred to others. The mark does not set the routes for that.
    public var isPreferred: Bool
    /// Whether a captive portal holds the app back. Only a sandbox says so.
    public var isCaptive: Bool
    /// When the override expires, in seconds of `KernelClock.boot`; nil: never.
    public var ends: Int64?
    /// The name of the process that will end it.
    public var watcher: String?
    /// Words of later versions, kept when rewriting.
    public var unknownWords: [String]

    /// Makes a mark; without arguments, an empty one.
    public init(
        cost: Cost = .default, isConstrained: Bool? = nil, kind: NetworkInterface.Kind? = nil,
        isHotspot: Bool = false, isPreferred: Bool = false, isCaptive: Bool = false,
        ends: Int64? = nil, watcher: String? = nil, unknownWords: [String] = []
    ) {
        self.cost = cost
        self.isConstrained = isConstrained
        self.kind = kind
        self.isHotspot = isHotspot
        self.isPreferred = isPreferred
        self.isCaptive = isCaptive
        self.ends = ends
        self.watcher = watcher
        self.unknownWords = unknownWords
    }

    /// When the override expires, in seconds since 1970 by the wall clock as it is set now.
    public var until: Int64? { ends.map(KernelClock.date(ofBoot:)) }

    /// Whether it is empty, so that no token is needed.
    public var isEmpty: Bool { self == NetworkMark() }

    /// The kind of an interface with this mark; `kind` is the kind without it.
    public func kind(insteadOf kind: NetworkInterface.Kind) -> NetworkInterface.Kind {
        self.kind ?? (isHotspot ? .wifi : kind)
    }

    /// Whether an interface of `kind` with this mark costs money by volume.
    public func makesExpensive(_ kind: NetworkInterface.Kind) -> Bool {
        switch cost {
        case .expensive: true
        case .inexpensive: false
        case .default: isHotspot || self.kind(insteadOf: kind) == .cellular
        }
    }

    /// Whether an interface with this mark is in Low Data Mode.
    public var makesConstrained: Bool { isConstrained ?? isHotspot }
}

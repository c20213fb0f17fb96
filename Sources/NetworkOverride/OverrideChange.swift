public import NetworkPath

/// What is to be changed of an override; what is nil stays as it is.
public struct OverrideChange: Hashable, Sendable, Codable {
    /// Low Data Mode.
    public enum LowData: String, Hashable, Sendable, Codable, CaseIterable {
        /// What the kind of interface tells: a hotspot is in it.
        case `default`
        case on, off
    }

    /// The kind of interface that apps see.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// What the kernel says.
        case `default`
        case wifi, cellular, wired, other
        /// Wi-Fi of a phone, which is expensive and in Low Data Mode by itself.
        case hotspot
    }

    /// What traffic costs.
    public var cost: NetworkMark.Cost?
    /// Low Data Mode.
    public var lowData: LowData?
    /// The kind of interface.
    public var kind: Kind?
    /// Whether it goes before all other interfaces.
    public var isPreferred: Bool?
    /// When the override ends by itself, in seconds since 1970; nil: never. It holds for the whole
    /// override, whatever limit there was before.
    public var until: Int64?
    /// The name of the process that ends it then.
    public var watcher: String?

    /// Changes what is given.
    public init(
        cost: NetworkMark.Cost? = nil, lowData: LowData? = nil, kind: Kind? = nil,
        isPreferred: Bool? = nil, until: Int64? = nil, watcher: String? = nil
    ) {
        self.cost = cost
        self.lowData = lowData
        self.kind = kind
        self.isPreferred = isPreferred
        self.until = until
        self.watcher = watcher
    }

    /// The mark of an interface that had `mark`.
    public func applied(to mark: NetworkMark) -> NetworkMark {
        var mark = mark
        if let cost { mark.cost = cost }
        switch lowData {
        case nil: break
        case .default: mark.isConstrained = nil
        case .on: mark.isConstrained = true
        case .off: mark.isConstrained = false
        }
        if let kind {
            mark.isHotspot = kind == .hotspot
            mark.kind = kind.interfaceKind
        }
        if let isPreferred { mark.isPreferred = isPreferred }
        (mark.until, mark.watcher) = (until, watcher)
        return mark
    }
}

extension OverrideChange.Kind {
    /// What a hotspot's interface is, the mark itself tells.
    fileprivate var interfaceKind: NetworkInterface.Kind? {
        switch self {
        case .default, .hotspot: nil
        case .wifi: .wifi
        case .cellular: .cellular
        case .wired: .wired
        case .other: .other
        }
    }
}

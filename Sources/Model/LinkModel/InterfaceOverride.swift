/// What apps see of an interface; nil: unchanged.
///
/// It comes from command-line options, matrix files and scenarios. `NetworkMark` stores it in the
/// kernel, where apps read it.
public struct InterfaceOverride: Sendable, Hashable, Codable {
    /// Whether traffic costs money.
    public enum Cost: String, Sendable, Hashable, Codable, CaseIterable {
        /// Derived from the kind of interface: a mobile network or a hotspot is expensive.
        case `default`
        case inexpensive, expensive
    }

    /// Low Data Mode.
    public enum LowData: String, Sendable, Hashable, Codable, CaseIterable {
        /// Derived from the kind of interface: a hotspot is in Low Data Mode.
        case `default`
        case on, off
    }

    /// The kind of interface.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The kind that the kernel reports.
        case `default`
        case wifi, cellular, wired, other
        /// Wi-Fi of a phone; expensive and in Low Data Mode by default.
        case hotspot
    }

    /// Whether traffic costs money.
    public var cost: Cost?
    /// Low Data Mode.
    public var lowData: LowData?
    /// The kind of interface.
    public var kind: Kind?
    /// Whether it is preferred to all other interfaces.
    public var isPreferred: Bool?

    /// Makes an override of the given properties.
    public init(
        cost: Cost? = nil, lowData: LowData? = nil, kind: Kind? = nil, isPreferred: Bool? = nil
    ) {
        self.cost = cost
        self.lowData = lowData
        self.kind = kind
        self.isPreferred = isPreferred
    }

    /// What an app sees of an interface with this profile. A name such as `cell0` determines the
    /// kind more reliably than the profile does.
    public init(_ profile: Profile, named name: String? = nil) {
        let kind = name.flatMap(Profile.InterfaceKind.init(guessedFrom:)) ?? profile.interface
        self.init(
            cost: profile.isExpensive ? .expensive : nil,
            lowData: profile.isConstrained ? .on : nil, kind: Kind(rawValue: kind.rawValue))
    }

    /// This override with the properties that `other` sets replaced.
    public func overridden(by other: Self) -> Self {
        Self(
            cost: other.cost ?? cost, lowData: other.lowData ?? lowData, kind: other.kind ?? kind,
            isPreferred: other.isPreferred ?? isPreferred)
    }

    /// This override with `default` for every unset property, so that it revokes earlier overrides.
    public var complete: Self {
        Self(cost: .default, lowData: .default, kind: .default).overridden(by: self)
    }
}

extension InterfaceOverride: CustomStringConvertible {
    /// `cellular, expensive, not constrained`.
    public var description: String {
        let costs: [Cost: String] = [.expensive: "expensive", .inexpensive: "not expensive"]
        let modes: [LowData: String] = [.on: "constrained", .off: "not constrained"]
        return [kind?.rawValue, cost.flatMap { costs[$0] }, lowData.flatMap { modes[$0] }]
            .compactMap(\.self).joined(separator: ", ")
    }
}

extension Profile.InterfaceKind {
    /// The kind that the prefix of a name suggests, such as `wifi0`; nil if it suggests none.
    public init?(guessedFrom name: String) {
        let prefixes: [(Self, [String])] = [
            (.wifi, ["wifi", "wlan", "wlp", "wlx"]), (.cellular, ["cell", "wwan", "wwp", "rmnet"]),
            (.wired, ["eth", "en"]), (.other, ["vpn", "tun", "tap", "wg", "ppp"]),
        ]
        let name = name.lowercased()
        guard let kind = prefixes.first(where: { $0.1.contains(where: name.hasPrefix) })?.0 else {
            return nil
        }
        self = kind
    }
}

/// What apps see of an interface, as far as somebody says it; nil: as it is without.
///
/// Options of the command line, matrix files and scenarios say it; `NetworkMark` keeps it in the
/// kernel, where apps read it.
public struct InterfaceOverride: Sendable, Hashable, Codable {
    /// What traffic costs.
    public enum Cost: String, Sendable, Hashable, Codable, CaseIterable {
        /// What the kind of interface tells: a mobile network or a hotspot is expensive.
        case `default`
        case inexpensive, expensive
    }

    /// Low Data Mode.
    public enum LowData: String, Sendable, Hashable, Codable, CaseIterable {
        /// What the kind of interface tells: a hotspot is in it.
        case `default`
        case on, off
    }

    /// The kind of interface.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// What the kernel says.
        case `default`
        case wifi, cellular, wired, other
        /// Wi-Fi of a phone, which is expensive and in Low Data Mode by itself.
        case hotspot
    }

    /// What traffic costs.
    public var cost: Cost?
    /// Low Data Mode.
    public var lowData: LowData?
    /// The kind of interface.
    public var kind: Kind?
    /// Whether it goes before all other interfaces.
    public var isPreferred: Bool?

    /// Says what is given.
    public init(
        cost: Cost? = nil, lowData: LowData? = nil, kind: Kind? = nil, isPreferred: Bool? = nil
    ) {
        self.cost = cost
        self.lowData = lowData
        self.kind = kind
        self.isPreferred = isPreferred
    }

    /// What an app sees of an interface under this profile. A name such as `cell0` says more of its
    /// kind than the profile does.
    public init(_ profile: Profile, named name: String? = nil) {
        let kind = name.flatMap(Profile.InterfaceKind.init(guessedFrom:)) ?? profile.interface
        self.init(
            cost: profile.isExpensive ? .expensive : nil,
            lowData: profile.isConstrained ? .on : nil, kind: Kind(rawValue: kind.rawValue))
    }

    /// The same with what `other` says in place of what is said here.
    public func overridden(by other: Self) -> Self {
        Self(
            cost: other.cost ?? cost, lowData: other.lowData ?? lowData, kind: other.kind ?? kind,
            isPreferred: other.isPreferred ?? isPreferred)
    }

    /// The same with `default` for what it does not say, so that it takes back what was said before.
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
    /// The kind that the beginning of a name tells, such as `wifi0`; nil if it tells none.
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

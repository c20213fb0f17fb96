/// The families of addresses that a network has.
public enum NetworkFamily: String, Sendable, Hashable, Codable, CaseIterable {
    /// IPv4 alone.
    case ipv4
    /// IPv6 alone.
    case ipv6
    /// IPv6 alone, with a translator to IPv4 (NAT64, RFC 6146) and a name server that gives names
    /// without an IPv6 address one of the translator's (DNS64, RFC 6147).
    case nat64

    /// Whether apps have an IPv4 address.
    public var hasIPv4: Bool { self == .ipv4 }

    /// Whether apps have an IPv6 address.
    public var hasIPv6: Bool { self != .ipv4 }

    /// The smallest MTU of a link that carries IPv6 (RFC 8200, section 5).
    static let leastIPv6MTU = 1280
}

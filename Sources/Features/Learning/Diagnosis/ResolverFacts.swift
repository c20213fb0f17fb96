package import LinkUnits
package import LinuxKernel

/// What a name server answered to one question.
package enum ResolverReply: Sendable, Hashable {
    case addresses([IPAddress])
    /// There is such a name, but it has no address of this type.
    case empty
    case truncated
    case failure
    case unknownName
    /// Another code, such as 5 (REFUSED).
    case refused(UInt8)
    /// Nobody listens there, or the network says that it does not get there.
    case unreachable
    case silent

    /// What a message says.
    package init(_ message: DNSMessage) {
        switch message.code {
        case DNSMessage.Code.serverFailure: self = .failure
        case DNSMessage.Code.unknownName: self = .unknownName
        case 0 where message.isTruncated: self = .truncated
        case 0: self = message.addresses.isEmpty ? .empty : .addresses(message.addresses)
        default: self = .refused(message.code)
        }
    }

    /// Whether anything came from a name server.
    var isAnswer: Bool { self != .silent && self != .unreachable }
}

/// What was found out about the network's name server.
package struct ResolverFacts: Sendable, Hashable {
    /// Whom was asked; nil: nobody is known.
    package var server: IPAddress?
    /// The name by which Firefox looks for portals, which exists.
    package var portalName = ResolverReply.silent
    /// `ipv4only.arpa`, whose addresses are 192.0.0.170 and 192.0.0.171 everywhere (RFC 7050).
    package var known = ResolverReply.silent
    package var knownIPv6 = ResolverReply.silent
    /// A name that cannot exist (RFC 6761, section 6.4).
    package var impossible = ResolverReply.silent
    /// How many questions had an answer, and how many of these were SERVFAIL.
    package var answers = 0
    package var failures = 0
    /// Whether a cut answer comes whole by TCP; nil: none was cut.
    package var passesTCP: Bool?
    /// The median of what answers took.
    package var time: Duration?

    package init() {}

    mutating func setAll(_ reply: ResolverReply) {
        (portalName, known, knownIPv6, impossible) = (reply, reply, reply, reply)
    }

    package static let knownName = "ipv4only.arpa"
    static let knownAddresses = [IPAddress(ipv4: 0xc000_00aa), IPAddress(ipv4: 0xc000_00ab)]

    package var replies: [ResolverReply] { [portalName, known, knownIPv6, impossible] }

    /// Whether it never says anything.
    package var isDown: Bool { server != nil && replies.allSatisfy { $0 == .silent } }

    package var isTruncating: Bool { [portalName, known].contains(.truncated) }

    /// The share of SERVFAIL in all answers.
    package var failureShare: Ratio {
        answers > 0 ? Ratio(Double(failures) / Double(answers)) ?? .zero : .zero
    }

    /// The address that it gives to names that have none or others, and whether to all of them.
    package var lie: (address: IPAddress, isForAll: Bool)? {
        if case .addresses(let found) = known, let first = found.first,
            !found.contains(where: Self.knownAddresses.contains)
        {
            return (first, true)
        }
        if case .addresses(let found) = impossible, let first = found.first {
            return (first, false)
        }
        return nil
    }

    /// Names that exist, and of which it says that they do not.
    package var denied: [String] {
        (known == .unknownName ? [Self.knownName] : [])
            + (portalName == .unknownName ? [PortalFact.name] : [])
    }

    /// Where an IPv4 address is in one of IPv6, by the length of the prefix: bits 64 to 71 are left
    /// out (RFC 6052, section 2.2).
    private static let places: [(length: UInt8, bytes: [Int])] = [
        (96, [12, 13, 14, 15]), (64, [9, 10, 11, 12]), (56, [7, 9, 10, 11]), (48, [6, 7, 9, 10]),
        (40, [5, 6, 7, 9]), (32, [4, 5, 6, 7]),
    ]

    /// The prefix of the network's NAT64 (RFC 7050), such as `64:ff9b::/96`; nil: there is none.
    package var prefix: String? {
        guard case .addresses(let found) = knownIPv6 else { return nil }
        for address in found where address.isIPv6 {
            let bytes = address.bytes
            for place in Self.places {
                let inner = IPAddress(bytes: place.bytes.map { bytes[$0] })
                guard let inner, Self.knownAddresses.contains(inner) else { continue }
                return "\(address.masked(to: place.length))/\(place.length)"
            }
        }
        return nil
    }
}

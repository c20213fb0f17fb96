/// Why a packet does not pass a middlebox.
public enum MiddleboxDrop: UInt8, Sendable, Hashable, CaseIterable {
    /// A firewall blocks it.
    case blocked
    /// A firewall has forgotten its TCP connection, which was silent for too long.
    case forgotten
    /// A NAT has no entry that lets it in.
    case unmapped
    /// A NAT has no room for its entry.
    case tableFull
    /// It asks a name server that is down, or comes from it.
    case unanswered
    /// A captive portal holds the app back.
    case captive
    /// The network has no way for it: it is of a family that the network does not have, or cannot be
    /// translated.
    case unrouted

    /// A stable keyword for programs.
    public var key: String {
        switch self {
        case .blocked: "blocked"
        case .forgotten: "forgotten"
        case .unmapped: "unmapped"
        case .tableFull: "tableFull"
        case .unanswered: "unanswered"
        case .captive: "captive"
        case .unrouted: "unrouted"
        }
    }

    /// The reason, for people.
    public var reason: String {
        switch self {
        case .blocked: "blocked by the firewall"
        case .forgotten: "of a connection that the firewall has forgotten"
        case .unmapped: "without an entry in the NAT"
        case .tableFull: "without room in the NAT"
        case .unanswered: "for a name server that is down"
        case .captive: "held back by the captive portal"
        case .unrouted: "without a way in a network of this family"
        }
    }
}

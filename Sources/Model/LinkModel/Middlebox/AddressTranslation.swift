import LinkUnits

/// A network address translator (NAT) of IPv4, as in home routers and in front of cellular networks.
/// IPv6 passes it unchanged.
public struct AddressTranslation: Sendable, Hashable, Codable {
    /// Which packets from outside pass, and whether an app's port has one port outside or many (RFC
    /// 3489, section 5; in the words of RFC 4787, all but the last map independently of the
    /// endpoint).
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// One port outside, through which everybody reaches the app.
        case fullCone = "full-cone"
        /// One port outside, through which those hosts reach the app to which it has sent.
        case restricted
        /// One port outside, through which those ports reach the app to which it has sent.
        case portRestricted = "port-restricted"
        /// A port outside for every address and port to which the app sends.
        case symmetric
    }

    /// Its behaviour.
    public var kind: Kind
    /// After which silence the entry of a UDP flow or an echo is forgotten.
    public var udpTimeout: Duration
    /// After which silence the entry of a TCP connection is forgotten.
    public var tcpTimeout: Duration
    /// How often it forgets everything, and gives new ports; nil: never.
    public var rebind: Duration?
    /// Whether the app reaches itself by its address outside.
    public var hairpin: Bool
    /// How many entries it has room for.
    public var table: Int

    /// The default timeouts: what RFC 4787 (REQ-5) and RFC 5382 (REQ-5) ask for at least.
    public static let defaultTimeouts = (udp: Duration.seconds(120), tcp: Duration.seconds(7440))
    /// The default room.
    public static let defaultTable = 10_000

    /// Makes a translator.
    public init(
        kind: Kind, udpTimeout: Duration = Self.defaultTimeouts.udp,
        tcpTimeout: Duration = Self.defaultTimeouts.tcp, rebind: Duration? = nil,
        hairpin: Bool = false, table: Int = Self.defaultTable
    ) {
        self.kind = kind
        self.udpTimeout = udpTimeout
        self.tcpTimeout = tcpTimeout
        self.rebind = rebind
        self.hairpin = hairpin
        self.table = table
    }

    /// How a profile writes it.
    var text: String {
        var parts = ["kind: \(kind.rawValue)"]
        var timeouts: [String] = []
        if udpTimeout != Self.defaultTimeouts.udp { timeouts.append("udp: \(udpTimeout.unitText)") }
        if tcpTimeout != Self.defaultTimeouts.tcp { timeouts.append("tcp: \(tcpTimeout.unitText)") }
        if !timeouts.isEmpty { parts.append("timeout: { \(timeouts.joined(separator: ", ")) }") }
        if let rebind { parts.append("rebind: every \(rebind.unitText)") }
        if hairpin { parts.append("hairpin: true") }
        if table != Self.defaultTable { parts.append("table: \(table)") }
        return "{ \(parts.joined(separator: ", ")) }"
    }

    /// What is wrong with it.
    var problem: ConditionProblem? {
        for timeout in [udpTimeout, tcpTimeout] where !Firewall.timeouts.contains(timeout) {
            return ConditionProblem(
                field: "timeout", explanation: "\(timeout.unitText) is outside 1 s to 1 day")
        }
        if let rebind, rebind < .milliseconds(100) {
            return ConditionProblem(
                field: "rebind",
                explanation: "\(rebind.unitText) is too often; the shortest interval is 100 ms")
        }
        guard (1...60_000).contains(table) else {
            return ConditionProblem(
                field: "table", explanation: "\(table) entries is outside 1 to 60000")
        }
        return nil
    }
}

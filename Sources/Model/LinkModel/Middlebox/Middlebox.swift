/// What stands between a link and the rest of the network, at the far end of the link.
///
/// Packets of the app meet it after the link, and packets toward the app before it, so that its
/// answers take as long as those of a server.
public struct Middlebox: Sendable, Hashable, Codable {
    /// Lets only part of the traffic pass; nil: everything passes.
    public var firewall: Firewall?
    /// Translates addresses behind the firewall, the app's own NAT first; empty: nothing does.
    public var nat: [AddressTranslation]
    /// The largest TCP segment that the ends of a connection may agree on, in payload bytes (MSS
    /// clamping); nil: as they like.
    public var mss: Int?
    /// How the network's name server fails; nil: it does not.
    public var dns: Resolver?
    /// What holds the app back until somebody has clicked; nil: nothing.
    public var captivePortal: CaptivePortal?
    /// The only addresses that the network has; nil: both IPv4 and IPv6.
    public var family: NetworkFamily?

    /// Makes a middlebox.
    public init(
        firewall: Firewall? = nil, nat: [AddressTranslation] = [], mss: Int? = nil,
        dns: Resolver? = nil, captivePortal: CaptivePortal? = nil, family: NetworkFamily? = nil
    ) {
        self.firewall = firewall
        self.nat = nat
        self.mss = mss
        self.dns = dns
        self.captivePortal = captivePortal
        self.family = family
    }

    /// How a profile writes it.
    public var text: String {
        var parts: [String] = []
        if let family { parts.append("family: \(family.rawValue)") }
        if let firewall { parts.append("firewall: \(firewall.text)") }
        let texts = nat.map(\.text)
        if texts.count == 1 { parts.append("nat: \(texts[0])") }
        if texts.count > 1 { parts.append("nat: [\(texts.joined(separator: ", "))]") }
        if let mss { parts.append("mss: \(mss)") }
        if let dns { parts.append("dns: \(dns.text)") }
        if let captivePortal { parts.append("captive-portal: \(captivePortal.text)") }
        return parts.isEmpty ? Self.none : "{ \(parts.joined(separator: ", ")) }"
    }

    /// How a scenario says that nothing stands there any more.
    public static let none = "none"

    /// What is wrong with it; the field is relative to the middlebox.
    var problem: ConditionProblem? {
        if self == Middlebox() {
            return ConditionProblem(
                field: "",
                explanation: "does nothing; give it a family, a firewall, a nat, an mss, dns or a "
                    + "captive-portal, or leave it out"
            )
        }
        if let problem = firewall?.problem {
            return ConditionProblem(
                field: "firewall.\(problem.field)", explanation: problem.explanation)
        }
        if let mss, !Self.segmentSizes.contains(mss) {
            return ConditionProblem(
                field: "mss",
                explanation: "\(mss) bytes is outside \(Self.segmentSizes.lowerBound) to "
                    + "\(Self.segmentSizes.upperBound)")
        }
        if let problem = familyProblem ?? dnsProblem ?? portalProblem { return problem }
        guard nat.count <= Self.mostNATs else {
            return ConditionProblem(
                field: "nat",
                explanation:
                    "\(nat.count) NATs are too many; no more than \(Self.mostNATs) stand in "
                    + "a row: the app's own, and its carrier's")
        }
        return nat.lazy.compactMap(\.problem).first.map {
            ConditionProblem(field: "nat.\($0.field)", explanation: $0.explanation)
        }
    }

    /// What a network without one of the families has no use for.
    private var familyProblem: ConditionProblem? {
        guard let family else { return nil }
        if !nat.isEmpty, !family.hasIPv4 {
            return ConditionProblem(
                field: "nat",
                explanation: "translates the app's IPv4 addresses, of which family: "
                    + "\(family.rawValue) leaves none; leave one of them out")
        }
        return nil
    }

    private var dnsProblem: ConditionProblem? {
        guard let dns else { return nil }
        if let problem = dns.problem {
            return ConditionProblem(
                field: problem.field.isEmpty ? "dns" : "dns.\(problem.field)",
                explanation: problem.explanation)
        }
        let question = TrafficKind(.udp, firstPort: 53)
        if let kind = firewall?.block.first(where: { $0.includes(question) }) {
            return ConditionProblem(
                field: "dns",
                explanation: "never gets a question, since the firewall blocks \(kind.text); "
                    + "leave one of them out")
        }
        return nil
    }

    private var portalProblem: ConditionProblem? {
        guard let captivePortal else { return nil }
        if let problem = captivePortal.problem {
            return ConditionProblem(
                field: "captive-portal.\(problem.field)", explanation: problem.explanation)
        }
        guard let firewall else { return nil }
        let page = TrafficKind(.tcp, firstPort: 80)
        let isMissing = !firewall.allow.isEmpty && !firewall.allow.contains { $0.includes(page) }
        let obstacle = firewall.block.first { $0.includes(page) }
        guard isMissing || obstacle != nil else { return nil }
        return ConditionProblem(
            field: "captive-portal",
            explanation: "is never seen, since the firewall "
                + (obstacle.map { "blocks \($0.text)" } ?? "does not allow tcp/80")
                + "; leave one of them out")
    }

    private static let mostNATs = 2
    /// From what Linux accepts at least to what no Ethernet with jumbo frames exceeds.
    private static let segmentSizes = 88...9000
}

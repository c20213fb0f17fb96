public import LinkModel

/// What was found out by one check.
public struct NetworkFinding: Sendable, Hashable {
    /// What was checked. The raw values are stable keywords for programs.
    public enum Check: String, Sendable, Hashable, CaseIterable {
        case addresses, nameServer = "name-server", wrongAnswers = "wrong-answers", nat64, portal
        case responder, udp, quic, tcp, nat, natRebinding = "nat-rebinding", mss
        case mtuUp = "mtu-up", mtuDown = "mtu-down"
    }

    /// What an app makes of it.
    public enum Status: String, Sendable, Hashable {
        /// As on a network where nothing stands in between.
        case ok
        /// Apps may have to mind it.
        case notable
        /// It could not be found out; the detail says why.
        case notMeasurable
    }

    /// What was checked.
    public var check: Check
    /// What an app makes of it.
    public var status: Status
    /// A stable keyword for programs; nil if it was not measurable.
    public var result: String?
    /// What a sender learns of what does not pass; nil if everything does.
    public var answer: Firewall.Answer?
    /// The size that was found, in bytes.
    public var bytes: Int?
    /// One sentence for people.
    public var detail: String

    init(
        _ check: Check, _ status: Status, _ result: String?, answer: Firewall.Answer? = nil,
        bytes: Int? = nil, _ detail: String
    ) {
        (self.check, self.status, self.result) = (check, status, result)
        (self.answer, self.bytes, self.detail) = (answer, bytes, detail)
    }

    static func unknown(_ check: Check, _ why: String) -> NetworkFinding {
        NetworkFinding(check, .notMeasurable, nil, why)
    }
}

/// What was found out about a network.
public struct NetworkFindings: Sendable {
    package let facts: NetworkFacts
    /// The responder, as it was named.
    public let host: String
    /// Why the responder did not answer all questions; nil if it did.
    public let problem: LearningError?

    package init(_ facts: NetworkFacts, host: String, problem: LearningError?) {
        (self.facts, self.host, self.problem) = (facts, host, problem)
    }

    /// All checks, in the order of `NetworkFinding.Check`.
    public var all: [NetworkFinding] { facts.findings }

    /// What a profile of this network has.
    public var conditions: LinkConditions { facts.conditions }

    /// Whether the lack of a responder is explained by what was found: a portal lets nobody through.
    public var isExplained: Bool { problem == nil || facts.portal.isPortal }
}

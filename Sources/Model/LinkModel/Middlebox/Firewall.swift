import LinkUnits

/// Lets only part of the traffic pass.
public struct Firewall: Sendable, Hashable, Codable {
    /// What the app learns of a packet that does not pass.
    public enum Answer: String, Sendable, Hashable, Codable, CaseIterable {
        /// Nothing.
        case drop
        /// TCP: a reset, as if from the server; otherwise ICMP "port unreachable".
        case reset
        /// ICMP "administratively prohibited".
        case icmp
    }

    /// What does not pass; empty if `allow` says what does.
    public var block: [TrafficKind]
    /// All that passes, besides DNS; empty: all but `block`.
    public var allow: [TrafficKind]
    /// What the app learns of its packets that do not pass.
    public var answer: Answer
    /// After which silence a TCP connection is forgotten, so that nothing of it passes any more,
    /// and neither end is told; nil: never.
    public var tcpTimeout: Duration?

    /// Makes a firewall.
    public init(
        block: [TrafficKind] = [], allow: [TrafficKind] = [], answer: Answer = .drop,
        tcpTimeout: Duration? = nil
    ) {
        self.block = block
        self.allow = allow
        self.answer = answer
        self.tcpTimeout = tcpTimeout
    }

    /// How a profile writes it.
    var text: String {
        var parts: [String] = []
        for (key, kinds) in [("block", block), ("allow", allow)] where !kinds.isEmpty {
            parts.append("\(key): [\(kinds.map(\.text).joined(separator: ", "))]")
        }
        if answer != .drop { parts.append("answer: \(answer)") }
        if let tcpTimeout { parts.append("timeout: { tcp: \(tcpTimeout.unitText) }") }
        return "{ \(parts.joined(separator: ", ")) }"
    }

    /// What is wrong with it.
    var problem: ConditionProblem? {
        if !block.isEmpty, !allow.isEmpty {
            return ConditionProblem(
                field: "allow",
                explanation: "and block contradict each other: all but allow is blocked; leave one "
                    + "of them out")
        }
        if block.isEmpty, allow.isEmpty {
            if tcpTimeout == nil {
                return ConditionProblem(
                    field: "block",
                    explanation: "is missing; write block: [udp], or allow: [tcp/443]")
            }
            if answer != .drop {
                return ConditionProblem(
                    field: "answer",
                    explanation:
                        "is for what is blocked, and nothing is; a forgotten connection has "
                        + "no answer")
            }
        }
        for (field, kinds) in [("block", block), ("allow", allow)] {
            for (index, kind) in kinds.enumerated() {
                let others = kinds.enumerated().filter { $0.offset != index }.map(\.element)
                if let other = others.first(where: { $0.includes(kind) }) {
                    return ConditionProblem(
                        field: field,
                        explanation: other == kind
                            ? "\(kind.text) is given twice; keep one"
                            : "\(other.text) includes \(kind.text); leave one of them out")
                }
            }
        }
        if let tcpTimeout, !Self.timeouts.contains(tcpTimeout) {
            return ConditionProblem(
                field: "timeout",
                explanation: "\(tcpTimeout.unitText) is outside 1 s to 1 day")
        }
        return nil
    }

    /// The timeouts accepted.
    static let timeouts = Duration.seconds(1)...Duration.seconds(86_400)
}

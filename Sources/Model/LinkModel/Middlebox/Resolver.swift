public import LinkUnits

/// How the name server of a network fails. What it does not do wrong, the network's own does.
///
/// It sees questions by UDP and TCP, wherever they go.
public struct Resolver: Sendable, Hashable, Codable {
    /// An answer that is not the truth.
    public struct WrongAnswer: Sendable, Hashable, Codable {
        /// The address that the names get.
        public var address: IPv4Address
        /// The names.
        public var names: [NamePattern]

        /// Makes a wrong answer.
        public init(address: IPv4Address, names: [NamePattern] = [.all]) {
            self.address = address
            self.names = names
        }

        var text: String {
            names == [.all]
                ? "{ address: \(address.text) }"
                : "{ address: \(address.text), names: \(Resolver.list(names)) }"
        }
    }

    /// Whether nobody answers, by UDP or TCP.
    public var isDown: Bool
    /// The share of questions that it says it cannot answer (SERVFAIL).
    public var servfail: Ratio
    /// The names that it says do not exist (NXDOMAIN).
    public var nxdomain: [NamePattern]
    /// What it lies about; nil: nothing.
    public var wrongAnswer: WrongAnswer?
    /// Whether answers by UDP have no room for an address, so that it has to be asked by TCP.
    public var truncate: Bool
    /// How much longer answers take.
    public var delay: Duration

    /// A resolver that does not answer.
    public static let down = Resolver(isDown: true)
    /// How a profile writes that.
    public static let downText = "down"

    /// Makes a resolver.
    public init(
        isDown: Bool = false, servfail: Ratio = .zero, nxdomain: [NamePattern] = [],
        wrongAnswer: WrongAnswer? = nil, truncate: Bool = false, delay: Duration = .zero
    ) {
        self.isDown = isDown
        self.servfail = servfail
        self.nxdomain = nxdomain
        self.wrongAnswer = wrongAnswer
        self.truncate = truncate
        self.delay = delay
    }

    /// How a profile writes it.
    var text: String {
        guard !isDown else { return Self.downText }
        var parts: [String] = []
        if servfail != .zero { parts.append("servfail: \(servfail.description)") }
        if !nxdomain.isEmpty { parts.append("nxdomain: \(Self.list(nxdomain))") }
        if let wrongAnswer { parts.append("wrong-answer: \(wrongAnswer.text)") }
        if truncate { parts.append("truncate: true") }
        if delay != .zero { parts.append("delay: \(delay.unitText)") }
        return "{ \(parts.joined(separator: ", ")) }"
    }

    /// A list of names; an asterisk means something else in YAML unless it is quoted.
    private static func list(_ names: [NamePattern]) -> String {
        let texts = names.map { "\"\($0.text)\"" }
        return "[\(texts.joined(separator: ", "))]"
    }

    /// What is wrong with it; the field is relative to it, or empty.
    var problem: ConditionProblem? {
        guard self != Resolver() else {
            return ConditionProblem(
                field: "",
                explanation: "does nothing; write dns: down, or dns: { servfail: 10% } and the like"
            )
        }
        guard delay <= DirectionConditions.longestDelay else {
            return ConditionProblem(
                field: "delay", explanation: DirectionConditions.tooLong(delay))
        }
        return Self.problem("nxdomain", nxdomain)
            ?? wrongAnswer.flatMap { Self.problem("wrong-answer.names", $0.names) }
            ?? needlessProblem
    }

    /// What can never happen, since something else happens first.
    private var needlessProblem: ConditionProblem? {
        let isHopeless = servfail == .one || nxdomain.contains(.all)
        if servfail != .zero, nxdomain.contains(.all) {
            return ConditionProblem(
                field: "servfail",
                explanation: "is for names that exist, and nxdomain says that none does; leave "
                    + "one of them out")
        }
        if let wrongAnswer {
            let missing = wrongAnswer.names.first { name in
                isHopeless || nxdomain.contains { $0.includes(name) }
            }
            if let missing {
                return ConditionProblem(
                    field: "wrong-answer",
                    explanation: "\(missing.text) never gets an answer, because of "
                        + "\(servfail == .one ? "servfail: 100%" : "nxdomain"); leave one of them "
                        + "out")
            }
        }
        guard truncate else { return nil }
        if isHopeless || wrongAnswer?.names.contains(.all) == true {
            return ConditionProblem(
                field: "truncate",
                explanation: "has no answers left to cut, because of "
                    + "\(servfail == .one ? "servfail: 100%" : isHopeless ? "nxdomain" : "wrong-answer")"
                    + "; leave one of them out")
        }
        return nil
    }

    private static func problem(_ field: String, _ names: [NamePattern]) -> ConditionProblem? {
        for (index, name) in names.enumerated() {
            let others = names.enumerated().filter { $0.offset != index }.map(\.element)
            guard let other = others.first(where: { $0.includes(name) }) else { continue }
            return ConditionProblem(
                field: field,
                explanation: other == name
                    ? "\(name.text) is given twice; keep one"
                    : "\(other.text) includes \(name.text); leave one of them out")
        }
        return nil
    }
}

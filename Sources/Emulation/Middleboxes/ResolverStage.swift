import LinkModel
import LinkUnits
public import LinuxKernel

/// A name server that fails, in virtual time.
struct ResolverStage: Sendable {
    /// How it fails; nil: it does not.
    var rules: Resolver?
    private var failures: RandomStream

    init(seed: UInt64) { failures = RandomStream(seed: seed, for: .resolver) }

    /// Whether it answers questions by TCP.
    var answersStreams: Bool {
        guard let rules, !rules.isDown else { return false }
        return rules.servfail > .zero || !rules.nxdomain.isEmpty || rules.wrongAnswer != nil
    }

    /// Whether it lets everything pass. That it is slow is the link's business.
    var isIdle: Bool { rules == nil || rules == Resolver(delay: rules?.delay ?? .zero) }

    /// Decides on a packet; nil if it is not for it to decide.
    mutating func verdict(on packet: PacketFields, _ direction: Direction) -> MiddleboxVerdict? {
        guard let rules, packet.transportOffset != nil,
            [IPProtocol.udp, IPProtocol.tcp].contains(packet.transport),
            DNSMessage.port == (direction == .up ? packet.target.port : packet.source.port)
        else { return nil }
        if rules.isDown { return .dropped(.unanswered, nil) }
        guard direction == .up, let name = packet.questionName,
            packet.target.address.isOfOneHost
        else { return nil }
        if let answer = answer(to: name) { return .answered(answer) }
        return rules.truncate ? .answered(.truncated) : nil
    }

    /// What it answers to a question for a name, by UDP or TCP; nil: the network's own answers.
    mutating func answer(to name: String) -> ResolverAnswer? {
        guard let rules else { return nil }
        if rules.nxdomain.contains(where: { $0.matches(name) }) { return .unknownName }
        if rules.servfail > .zero, failures.isChosen(rules.servfail) { return .failure }
        guard let wrong = rules.wrongAnswer, wrong.names.contains(where: { $0.matches(name) })
        else { return nil }
        return .wrong(IPAddress(ipv4: wrong.address.bits))
    }
}

/// What a name server in the middle answers.
public enum ResolverAnswer: Sendable, Hashable {
    /// It could not find out (SERVFAIL).
    case failure
    /// There is no such name (NXDOMAIN).
    case unknownName
    /// The name has this address, and no other records.
    case wrong(IPAddress)
    /// The name has those of these addresses that are of the type asked for, and no other records.
    case misleading([IPAddress])
    /// The same, by a name server that is to do this.
    case synthesized([IPAddress])
    /// The answer is too long for UDP.
    case truncated

    /// What is counted apart.
    public enum Kind: Sendable, Hashable {
        case failure, unknownName, wrong, truncated, synthesized
    }

    /// What it counts as.
    public var kind: Kind {
        switch self {
        case .failure: .failure
        case .unknownName: .unknownName
        case .wrong, .misleading: .wrong
        case .synthesized: .synthesized
        case .truncated: .truncated
        }
    }

    /// The bytes of the answer from the IP header on.
    ///
    /// - Parameter packet: the question, from its IP header on.
    public func bytes(to packet: [UInt8], _ fields: PacketFields) -> [UInt8]? {
        guard let start = fields.transportOffset, start + 8 <= packet.count else { return nil }
        return message(to: Array(packet[(start + 8)...])).map {
            IPPacket.datagram(from: fields.target, to: fields.source, payload: $0)
        }
    }

    /// The answer to a question; nil if that is none.
    public func message(to question: [UInt8]) -> [UInt8]? {
        guard let message = DNSMessage(question) else { return nil }
        switch self {
        case .failure: return message.answer(to: question, code: DNSMessage.Code.serverFailure)
        case .unknownName: return message.answer(to: question, code: DNSMessage.Code.unknownName)
        case .wrong(let address): return message.answer(to: question, addresses: [address])
        case .misleading(let addresses), .synthesized(let addresses):
            return message.answer(to: question, addresses: addresses)
        case .truncated: return message.answer(to: question, isTruncated: true)
        }
    }
}

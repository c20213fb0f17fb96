package import LinuxKernel

/// What one name server is asked about a name, and what it has answered, without doing any I/O.
///
/// It is asked for both kinds of addresses at once, by UDP. An answer that had no room in a datagram is
/// asked for again by TCP (RFC 7766, section 5).
package struct NameQuestion: Sendable {
    /// What is asked for.
    package typealias Kind = DNSMessage.AddressType

    /// What has come of it.
    package enum Outcome: Sendable, Hashable {
        /// Addresses, although perhaps not all.
        case addresses([IPAddress])
        /// There is no such host, or it has no address.
        case unknown
        /// Another server may know more.
        case failed([NameProblem])
    }

    private enum Carrier {
        case datagram
        case stream
    }

    private let name: String
    private let identifier: UInt16
    private var pending: [Kind: Carrier] = [:]
    private var found: [Kind: [IPAddress]] = [:]
    private var problems: [NameProblem] = []
    /// Whether a whole answer has come for one kind of addresses.
    package private(set) var hasAnswer = false
    private var questions: [Kind: [UInt8]] = [:]

    /// Makes one; nil for a name that nobody can be asked for.
    ///
    /// - Parameter identifier: A number that others cannot guess.
    package init?(_ name: String, identifier: UInt16) {
        let bare = name.hasSuffix(".") ? String(name.dropLast()) : name
        (self.name, self.identifier) = (bare.lowercased(), identifier)
        for kind in Kind.allCases {
            guard let question = DNSMessage.question(identifier: identifier, name: name, kind)
            else { return nil }
            questions[kind] = question
            pending[kind] = .datagram
        }
    }

    /// The questions to send by UDP.
    package var datagrams: [[UInt8]] { Kind.allCases.compactMap { questions[$0] } }

    /// The question to send by TCP.
    package func stream(for kind: Kind) -> [UInt8] { DNSMessage.framed(questions[kind] ?? []) }

    /// Takes in a datagram, and returns what has to be asked for by TCP. One that is no answer is ignored:
    /// anybody may have sent it.
    package mutating func take(datagram: [UInt8]) -> Kind? {
        guard let (kind, answer) = read(datagram), pending[kind] == .datagram else { return nil }
        guard answer.code == 0, answer.isTruncated else {
            take(answer, to: kind)
            return nil
        }
        // Better than nothing, should there be no answer by TCP.
        found[kind] = answer.addresses
        pending[kind] = .stream
        return kind
    }

    /// Takes in what has come by TCP for a question: the answer, or nil if that will never come.
    package mutating func take(streamed message: [UInt8]?, to kind: Kind) {
        guard pending[kind] == .stream else { return }
        if let message, let (answered, answer) = read(message), answered == kind {
            take(answer, to: kind)
        } else {
            pending[kind] = nil
            note(.noStream)
        }
    }

    /// The server takes no datagrams.
    package mutating func refuseDatagrams() {
        for kind in Kind.allCases where pending[kind] == .datagram {
            pending[kind] = nil
            note(.silence)
        }
    }

    /// Whether answers by UDP are still to come.
    package var awaitsDatagrams: Bool { pending.values.contains(.datagram) }

    /// Whether nothing more is to come.
    package var isOver: Bool { pending.isEmpty }

    /// What has come of it if nothing more comes.
    package var outcome: Outcome {
        // IPv4 first, as the C library sorts them for a host with addresses of a private network.
        let addresses = Kind.allCases.flatMap { found[$0] ?? [] }
        guard addresses.isEmpty else { return .addresses(addresses) }
        var final = self
        final.refuseDatagrams()
        for kind in Kind.allCases { final.take(streamed: nil, to: kind) }
        return final.problems.isEmpty ? .unknown : .failed(final.problems)
    }

    private func read(_ bytes: [UInt8]) -> (kind: Kind, answer: DNSMessage)? {
        guard let answer = DNSMessage(bytes), answer.isInternetResponse,
            answer.identifier == identifier, answer.name == name,
            let kind = Kind(rawValue: answer.type)
        else { return nil }
        return (kind, answer)
    }

    private mutating func take(_ answer: DNSMessage, to kind: Kind) {
        pending[kind] = nil
        guard [0, DNSMessage.Code.unknownName].contains(answer.code) else {
            return note(.code(answer.code))
        }
        hasAnswer = true
        found[kind] = answer.addresses
    }

    private mutating func note(_ problem: NameProblem) {
        if !problems.contains(problem) { problems.append(problem) }
    }
}

/// What came of a question in the place of an answer.
package enum NameProblem: Sendable, Hashable, CustomStringConvertible {
    /// The server says that it cannot answer, or does not want to (RFC 1035, section 4.1.1).
    case code(UInt8)
    /// Nothing came.
    case silence
    /// The answer has no room in a datagram, and did not come by TCP.
    case noStream

    /// What users are told.
    package var description: String {
        switch self {
        case .code(1): "FORMERR"
        case .code(2): "SERVFAIL"
        case .code(4): "NOTIMP"
        case .code(5): "REFUSED"
        case .code(let code): "code \(code)"
        case .silence: "no answer"
        case .noStream: "no answer by TCP"
        }
    }
}

/// Why a name has no addresses.
package struct NameFailure: Error, Sendable, Hashable {
    /// What users are told.
    package let reason: String
    /// Whether nobody has answered.
    package let isSilent: Bool

    /// Makes one.
    ///
    /// Servers are not named: those of the sandbox stand for those of the host, of which it uses the ones
    /// that work.
    ///
    /// - Parameters:
    ///   - problems: What came of the questions, in this order, perhaps more than once.
    ///   - hasAnswer: Whether a server has said that there are no addresses, at least of one kind.
    ///   - servers: How many servers there are.
    package init(_ problems: [NameProblem], hasAnswer: Bool, servers: Int) {
        var different: [NameProblem] = []
        for problem in problems where !different.contains(problem) { different.append(problem) }
        let isAllSilence = different.allSatisfy { $0 == .silence }
        if different.isEmpty || hasAnswer && isAllSilence {
            (reason, isSilent) = ("there is no such host", false)
        } else if isAllSilence {
            (reason, isSilent) = ("no name server has answered", true)
        } else {
            let subject = servers == 1 ? "the name server does" : "the name servers do"
            let texts = different.map(\.description).joined(separator: ", ")
            reason = "\(subject) not resolve it: \(texts)"
            isSilent = different.allSatisfy { [.silence, .noStream].contains($0) }
        }
    }
}

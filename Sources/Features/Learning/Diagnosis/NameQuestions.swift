import LinkModel
import LinuxKernel
import SystemPackage

/// Asks a name server a few questions, all at once and with a time limit.
struct NameQuestions: ~Copyable {
    /// A question, until it has an answer.
    fileprivate struct Question {
        let name: String
        let type: DNSMessage.AddressType
        var identifier: UInt16 = 0
        var reply = ResolverReply.silent
        var failures = 0
        var isOpen = true
    }

    private let server: Endpoint
    private let socket: DatagramSocket
    private var facts: ResolverFacts
    private var times: [Duration] = []
    private var room = DatagramRoom()

    /// When a question without an answer is repeated, and when it is given up.
    private static let repetitions: [Duration] = [.milliseconds(800), .milliseconds(2000)]
    private static let patience = Duration.milliseconds(4000)
    /// SERVFAIL is a failure of the moment.
    private static let mostFailures = 4
    private static let samples = 20

    private init?(_ server: IPAddress) {
        self.server = Endpoint(server, port: DNSMessage.port)
        guard let socket = try? DatagramSocket(connectedTo: self.server) else { return nil }
        self.socket = socket
        facts = ResolverFacts()
        facts.server = server
    }

    /// What a name server does; without one nothing is asked.
    static func facts(of server: IPAddress?, hasIPv4: Bool) -> ResolverFacts {
        guard let server else { return ResolverFacts() }
        guard var questions = NameQuestions(server) else {
            var facts = ResolverFacts()
            facts.server = server
            facts.setAll(.unreachable)
            return facts
        }
        return questions.run(hasIPv4: hasIPv4)
    }

    private mutating func run(hasIPv4: Bool) -> ResolverFacts {
        let number = String(UInt32.random(in: 0 ... .max), radix: 36)
        var questions = [
            Question(name: ResolverFacts.knownName, type: .a),
            Question(name: ResolverFacts.knownName, type: .aaaa),
            Question(name: PortalFact.name, type: hasIPv4 ? .a : .aaaa),
            Question(name: "linkcond-\(number).invalid", type: .a),
        ]
        ask(&questions)
        (facts.known, facts.knownIPv6) = (questions[0].reply, questions[1].reply)
        (facts.portalName, facts.impossible) = (questions[2].reply, questions[3].reply)
        if facts.isTruncating { facts.passesTCP = isWholeByTCP(ResolverFacts.knownName) }
        if facts.answers > 0 { sample() }
        facts.time = times.sorted().dropFirst(times.count / 2).first
        return facts
    }

    private mutating func ask(_ questions: inout [Question]) {
        let begin = KernelClock.monotonic
        for index in questions.indices { send(&questions[index]) }
        var repetitions = Self.repetitions[...]
        while questions.contains(where: \.isOpen), KernelClock.monotonic - begin < Self.patience {
            let next = begin + (repetitions.first ?? Self.patience)
            if Readiness.wait(for: [socket.descriptor], until: next) {
                receive(&questions, since: begin)
            }
            guard KernelClock.monotonic >= next else { continue }
            repetitions = repetitions.dropFirst()
            for index in questions.indices where questions[index].isOpen {
                send(&questions[index])
            }
        }
    }

    private func send(_ question: inout Question) {
        question.identifier = UInt16.random(in: 0 ... .max)
        guard
            let bytes = DNSMessage.question(
                identifier: question.identifier, name: question.name, question.type)
        else { return }
        // The first call may only tell of the answer to an earlier datagram.
        if (try? socket.send(bytes)) == nil { try? socket.send(bytes) }
    }

    private mutating func receive(_ questions: inout [Question], since begin: Duration) {
        let datagrams: [Datagram]
        do {
            datagrams = try socket.receive(into: &room)
        } catch {
            guard ![.wouldBlock, .interrupted].contains(error) else { return }
            // ICMP says that nobody listens there, whatever was asked.
            for index in questions.indices where questions[index].isOpen {
                (questions[index].reply, questions[index].isOpen) = (.unreachable, false)
            }
            return
        }
        for datagram in datagrams {
            guard let message = DNSMessage(datagram.payload), message.isResponse else { continue }
            for index in questions.indices where questions[index].isAnswered(by: message) {
                times.append(KernelClock.monotonic - begin)
                let reply = ResolverReply(message)
                count(reply)
                questions[index].reply = reply
                questions[index].failures += reply == .failure ? 1 : 0
                questions[index].isOpen =
                    reply == .failure && questions[index].failures < Self.mostFailures
                if questions[index].isOpen { send(&questions[index]) }
            }
        }
    }

    private mutating func count(_ reply: ResolverReply) {
        facts.answers += 1
        if reply == .failure { facts.failures += 1 }
    }

    /// Asks for a name many times at once, to see how often that fails.
    private mutating func sample() {
        var open = Set<UInt16>()
        let first = UInt16.random(in: 0...60_000)
        for number in 0..<UInt16(Self.samples) {
            guard
                let question = DNSMessage.question(
                    identifier: first + number, name: ResolverFacts.knownName, .a),
                (try? socket.send(question)) != nil
            else { continue }
            open.insert(first + number)
        }
        let deadline = KernelClock.monotonic + Self.patience
        while !open.isEmpty, Readiness.wait(for: [socket.descriptor], until: deadline) {
            guard let datagrams = try? socket.receive(into: &room) else { continue }
            for datagram in datagrams {
                guard let message = DNSMessage(datagram.payload), message.isResponse,
                    open.remove(message.identifier) != nil
                else { continue }
                count(ResolverReply(message))
            }
        }
    }

    /// Whether a question gets its answer by TCP (RFC 7766).
    private func isWholeByTCP(_ name: String) -> Bool {
        let identifier = UInt16.random(in: 0 ... .max)
        guard let question = DNSMessage.question(identifier: identifier, name: name, .a) else {
            return false
        }
        let prefix = [UInt8(question.count >> 8), UInt8(question.count & 0xff)]
        let answer = BriefStream.exchange(
            with: server, prefix + question, patience: Self.patience
        ) { bytes in
            bytes.count >= 2 && bytes.count >= 2 + Int(bytes.span.word(at: 0))
        }
        guard case .success(let bytes) = answer, bytes.count > 2,
            let message = DNSMessage(Array(bytes.dropFirst(2)))
        else { return false }
        return message.identifier == identifier && message.isResponse && !message.isTruncated
    }
}

extension NameQuestions.Question {
    func isAnswered(by message: DNSMessage) -> Bool {
        isOpen && identifier == message.identifier && name == message.name
            && type.rawValue == message.type
    }
}

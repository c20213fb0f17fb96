import LinuxKernel

/// What a name server in the middle makes of one connection by TCP (RFC 7766), without doing any I/O.
///
/// It answers some of the app's questions itself, and passes the others on to the network's own name
/// server, whose answers it completes as `SynthesizedNames` does by UDP. Each message follows its
/// length; answers may overtake each other.
package struct NameStream: Sendable {
    /// What the app is to get.
    package var toApp: [UInt8] = []
    /// What the network's name server is to get.
    package var toServer: [UInt8] = []
    private var questions: [UInt8] = []
    private var answers: [UInt8] = []
    /// The answers that had no addresses, until those of IPv4 are known, by their identifiers.
    private var waiting: [UInt16: (answer: [UInt8], question: [UInt8])] = [:]

    private var unanswered = 0

    /// More than a client asks at a time.
    private static let mostWaiting = 1000

    private let ignoresIPv6: Bool

    /// Makes one for a new connection.
    ///
    /// - Parameter ignoresIPv6: whether addresses of IPv6 lead nowhere, and count as none.
    package init(ignoresIPv6: Bool = false) { self.ignoresIPv6 = ignoresIPv6 }

    /// Takes in bytes of the app.
    ///
    /// - Parameter answer: what the middle answers to a question for a name; nil: nothing.
    package mutating func ask(
        _ bytes: some Sequence<UInt8>, _ answer: (_ name: String) -> ResolverAnswer?
    ) {
        questions += bytes
        for question in DNSMessage.takeMessages(from: &questions) {
            if let message = DNSMessage(question), message.isQuestion,
                let own = answer(message.name)?.message(to: question)
            {
                toApp += DNSMessage.framed(own)
            } else {
                toServer += DNSMessage.framed(question)
                unanswered += 1
            }
        }
    }

    /// Takes in bytes of the network's name server, and returns how many names have got addresses of
    /// the NAT64.
    ///
    /// - Parameter isSynthesizing: whether names are to get them.
    package mutating func answer(_ bytes: some Sequence<UInt8>, isSynthesizing: Bool) -> Int {
        answers += bytes
        return DNSMessage.takeMessages(from: &answers).count { answer in
            unanswered -= 1
            guard let message = DNSMessage(answer), message.isInternetResponse else {
                toApp += DNSMessage.framed(answer)
                return false
            }
            let type = DNSMessage.AddressType(rawValue: message.type)
            if type == .a, let former = waiting[message.identifier]?.answer,
                let earlier = DNSMessage(former), earlier.name == message.name
            {
                waiting[message.identifier] = nil
                let (bytes, isSynthesized) = SynthesizedNames.answer(
                    in: (earlier, former), from: (message, answer), isDatagram: false)
                toApp += DNSMessage.framed(bytes)
                return isSynthesized
            }
            if isSynthesizing, type == .aaaa, waiting.count < Self.mostWaiting,
                let question = SynthesizedNames.question(
                    after: message, answer, ignoresIPv6: ignoresIPv6, isDatagram: false)
            {
                waiting[message.identifier] = (answer, question)
                toServer += DNSMessage.framed(question)
                unanswered += 1
            } else {
                toApp += DNSMessage.framed(answer)
            }
            return false
        }
    }

    /// Whether answers of the network's name server are still to come.
    package var isWaiting: Bool { unanswered > 0 }

    /// Asks those questions again by a new connection; false if there are none.
    package mutating func askAgain() -> Bool {
        answers = []
        for (_, question) in waiting.values { toServer += DNSMessage.framed(question) }
        return !waiting.isEmpty
    }
}

import FoundationEssentials

/// What a client says over the control connection, one JSON object a line.
package struct ClientMessage: Sendable, Codable {
    /// What came to its UDP port: it is where it says.
    package var cookie: String?
    /// What to do next.
    package var round: ProbeRound?
    /// In version 2: whether it is to say which datagrams have arrived.
    package var asksArrivals: Bool?
    /// In version 2: whether to go on as in version 1.
    package var measures: Bool?
}

/// What a responder says.
package struct ResponderMessage: Sendable, Codable {
    package struct Invitation: Sendable, Codable {
        /// What the client's first datagrams say.
        package var token: String
        /// Where to.
        package var port: UInt16
        /// The same as the client's if both have one clock.
        package var clock: String
        package var limits: ProbeLimits
    }

    /// What it saw of a round; the bytes of `ArrivalCode` follow the line.
    package struct Outcome: Sendable, Codable {
        /// How many packets of each of its trains it sent, in the order of their first numbers.
        package var sent: [Int]
        /// Of these, how many trains have packets that its interface does not take.
        package var tooLarge: [Bool]
        package var arrivals: Int
        package var damaged: Int
        package var overflows: Int
        package var bytes: Int
        /// The MTU that its kernel was told of.
        package var pathMTU: Int?
    }

    package var invitation: Invitation?
    /// In version 2.
    package var diagnosis: DiagnosisProtocol.Invitation?
    package var arrivals: [DiagnosisProtocol.Arrival]?
    package var isReady: Bool?
    package var hasStarted: Bool?
    package var outcome: Outcome?
    /// Why it does not go on.
    package var refusal: String?
}

/// JSON objects on one line.
package enum MessageLine {
    package static func text(of message: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = (try? encoder.encode(message)) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    /// Nil if the line is not such a message.
    package static func read<Message: Decodable>(
        _ line: String, as type: Message.Type = Message.self
    ) -> Message? {
        try? JSONDecoder().decode(type, from: Data(line.utf8))
    }
}

/// The datagrams by which both ends find out the client's UDP address.
enum Rendezvous {
    private static let name = "linkcond-learn "

    static func datagram(_ word: String) -> [UInt8] { Array((name + word).utf8) }

    /// The word of a datagram; nil if it is not one of these.
    static func word(of datagram: [UInt8]) -> String? {
        guard datagram.count <= 100 else { return nil }
        let text = String(decoding: datagram, as: UTF8.self)
        return text.hasPrefix(name) ? String(text.dropFirst(name.count)) : nil
    }

    /// A number that nobody guesses.
    static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

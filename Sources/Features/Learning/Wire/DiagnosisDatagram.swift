package import LinuxKernel

/// The datagrams of a diagnosis.
///
/// A question is never shorter than its answer, so nobody gains by it, and has the token that only
/// the TCP connection tells. Answers have addresses with all bits inverted: some NATs rewrite
/// whatever looks like an address (RFC 8489, section 14.2).
package enum DiagnosisDatagram: Sendable, Hashable {
    /// How a question looks to those in between.
    package enum Shape: Sendable, Hashable {
        case plain
        /// As long as a QUIC packet, but none.
        case long
        /// The first packet of a QUIC connection (RFC 9000, section 17.2.2).
        case quic
    }

    /// The client's.
    case question(Int)
    /// The same, with the wish for a knock by another door as well.
    case request(Int, door: Int)
    /// The answer to both: from where they came.
    case answer(Int, Endpoint)
    /// One that the client asked for.
    case knock(Int)
    /// The client's last word, where a NAT has forgotten its TCP connection.
    case farewell

    private static let leastQuestion = 160
    /// What a client pads its first packet to (RFC 9000, section 14.1).
    private static let quicBytes = 1200
    /// Initial packet, version 1, an identifier of 8 bytes, and no token.
    private static let quicStart: [UInt8] = [0xc3, 0, 0, 0, 1, 8]
    private static let quicHeader = 22

    /// The bytes of a question, or of a request.
    package static func question(
        _ number: Int, token: String, _ shape: Shape, knockBy door: Int? = nil
    ) -> [UInt8] {
        let words =
            door.map { "linkcond-request \(token) \(number) \($0) " }
            ?? "linkcond-doctor \(token) \(number) "
        var bytes = Array(words.utf8)
        if shape == .quic {
            let rest = UInt16(quicBytes - 18)
            let header: [UInt8] =
                quicStart + token.utf8.prefix(8) + [0, 0]
                + [0x40 | UInt8(rest >> 8), UInt8(truncatingIfNeeded: rest), 0, 0, 0, 0]
            bytes = header + bytes
        }
        let size = shape == .plain ? leastQuestion : quicBytes
        return bytes + [UInt8](repeating: 0, count: max(0, size - bytes.count))
    }

    /// The bytes of an answer.
    package static func answer(_ number: Int, token: String, seen: Endpoint) -> [UInt8] {
        let place = seen.address.bytes + [UInt8(seen.port >> 8), UInt8(seen.port & 0xff)]
        let digits = place.map { byte in
            let text = String(~byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        return Array("linkcond-seen \(token) \(number) \(digits.joined()) ".utf8)
    }

    /// The bytes of a knock.
    package static func knock(_ number: Int, token: String) -> [UInt8] {
        Array("linkcond-knock \(token) \(number) ".utf8)
    }

    /// The bytes of a farewell.
    package static func farewell(token: String) -> [UInt8] {
        Array("linkcond-farewell \(token) 0 ".utf8)
    }

    /// Reads a datagram; nil if it is none of these, or of another session.
    package init?(_ bytes: [UInt8], token: String) {
        let isQUIC = bytes.starts(with: Self.quicStart) && bytes.count == Self.quicBytes
        let text = bytes[(isQUIC ? Self.quicHeader : 0)...].prefix(128).prefix { $0 != 0 }
        let words = String(decoding: text, as: UTF8.self).split(separator: " ")
        guard words.count >= 3, words[1] == token, let number = Int(words[2]),
            (0..<DiagnosisProtocol.mostDatagrams).contains(number)
        else { return nil }
        switch words[0] {
        case "linkcond-doctor" where bytes.count >= Self.leastQuestion: self = .question(number)
        case "linkcond-request" where bytes.count >= Self.leastQuestion:
            guard words.count >= 4, let door = Int(words[3]) else { return nil }
            self = .request(number, door: door)
        case "linkcond-knock": self = .knock(number)
        case "linkcond-farewell": self = .farewell
        case "linkcond-seen":
            guard words.count == 4, let seen = Self.endpoint(words[3]) else { return nil }
            self = .answer(number, seen)
        default: return nil
        }
    }

    private static func endpoint(_ digits: Substring) -> Endpoint? {
        let characters = Array(digits.utf8)
        guard [12, 36].contains(characters.count) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: characters.count, by: 2) {
            let pair = String(decoding: characters[index...index + 1], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(~byte)
        }
        guard let address = IPAddress(bytes: bytes.dropLast(2)) else { return nil }
        let port = UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1])
        return Endpoint(address, port: port)
    }
}

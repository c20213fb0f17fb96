/// A message of the domain name system with one question (RFC 1035, section 4).
///
/// Messages are untrusted: addresses are read as far as the message is sound.
package struct DNSMessage: Hashable, Sendable {
    /// The types of records with addresses.
    package enum AddressType: UInt16, Sendable, Hashable, CaseIterable {
        case a = 1
        case aaaa = 28
    }

    /// The results that programs distinguish (section 4.1.1).
    package enum Code {
        /// The server could not answer.
        package static let serverFailure: UInt8 = 2
        /// There is no such name.
        package static let unknownName: UInt8 = 3
    }

    /// The number that a question and its answer share.
    package let identifier: UInt16
    package let isResponse: Bool
    /// Whether it is about looking up a name, as nearly all are.
    private let isLookup: Bool
    /// Whether records are missing for lack of room.
    package let isTruncated: Bool
    /// Whether there is such a name, or else an error.
    package let code: UInt8
    /// The name asked for, in lower case, without the final dot.
    package let name: String
    /// The type of record, such as 1 (A) or 28 (AAAA).
    package let type: UInt16
    /// Whether it asks about the Internet.
    private let isInternet: Bool
    /// Where the question ends in the message.
    package let questionEnd: Int
    /// The addresses of a response, also those of the names to which an alias leads.
    package var addresses: [IPAddress] = []

    package static let port: UInt16 = 53
    package static let headerLength = 12
    package static let longestName = 253
    static let longestLabel = 63
    static let internet: UInt16 = 1

    /// Whether it asks for a name on the Internet.
    package var isQuestion: Bool { !isResponse && isLookup && isInternet }

    /// Whether it answers a question for a name on the Internet.
    package var isInternetResponse: Bool { isResponse && isLookup && isInternet }

    /// Reads a message; nil if it is none.
    package init?(_ payload: [UInt8]) { self.init(payload.span) }

    /// Reads a message; nil if it is none.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= Self.headerLength + 5, bytes.word(at: 4) == 1 else { return nil }
        var name = ""
        var offset = Self.headerLength
        while offset < bytes.count, bytes[offset] != 0 {
            let length = Int(bytes[offset])
            // The first name of a message is not compressed.
            guard length <= Self.longestLabel, offset + 1 + length < bytes.count,
                offset + length - Self.headerLength <= Self.longestName
            else { return nil }
            if !name.isEmpty { name += "." }
            let label = (offset + 1..<offset + 1 + length).map { bytes[$0] }
            name += String(decoding: label, as: UTF8.self).lowercased()
            offset += 1 + length
        }
        guard offset + 5 <= bytes.count else { return nil }
        self.name = name
        identifier = bytes.word(at: 0)
        isResponse = bytes[2] & 0x80 != 0
        isLookup = bytes[2] & 0x78 == 0
        isTruncated = bytes[2] & 0x02 != 0
        code = bytes[3] & 0x0f
        type = bytes.word(at: offset + 1)
        isInternet = bytes.word(at: offset + 3) == Self.internet
        questionEnd = offset + 5
        if isResponse { addresses = readAddresses(bytes) }
    }

    /// The addresses in the answers behind the question.
    private func readAddresses(_ bytes: Span<UInt8>) -> [IPAddress] {
        guard let kind = AddressType(rawValue: type) else { return [] }
        var addresses: [IPAddress] = []
        var offset = questionEnd
        for _ in 0..<bytes.word(at: 6) {
            guard let start = Self.end(ofName: offset, in: bytes), start + 10 <= bytes.count else {
                break
            }
            let data = start + 10
            let length = Int(bytes.word(at: start + 8))
            guard data + length <= bytes.count else { break }
            if bytes.word(at: start) == type, bytes.word(at: start + 2) == Self.internet,
                let address = IPAddress(bytes: (data..<data + length).map { bytes[$0] }),
                address.isIPv6 == (kind == .aaaa)
            {
                addresses.append(address)
            }
            offset = data + length
        }
        return addresses
    }

    /// Where a name ends, which may be compressed (section 4.1.4).
    static func end(ofName start: Int, in bytes: Span<UInt8>) -> Int? {
        var offset = start
        while offset < bytes.count {
            let length = Int(bytes[offset])
            if length == 0 { return offset + 1 }
            if length >= 0xc0 { return offset + 2 }
            guard length <= longestLabel else { return nil }
            offset += 1 + length
        }
        return nil
    }

    /// A question; nil for a name that cannot be asked for.
    package static func question(
        identifier: UInt16, name: String, _ kind: AddressType
    ) -> [UInt8]? {
        let bare = name.hasSuffix(".") ? name.dropLast() : name[...]
        let labels = bare.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ (1...longestLabel).contains($0.utf8.count) }),
            bare.utf8.count <= longestName
        else { return nil }
        // One question, and recursion is desired.
        var bytes = big(identifier) + [0x01, 0x00] + big(1) + [0, 0, 0, 0, 0, 0]
        for label in labels { bytes += [UInt8(label.utf8.count)] + label.utf8 }
        return bytes + [0] + big(kind.rawValue) + big(internet)
    }

    static func big(_ number: UInt16) -> [UInt8] {
        [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
    }
}

/// Answers.
extension DNSMessage {
    /// The type of the record by which both sides say what they know of EDNS (RFC 6891).
    static let extensions: UInt16 = 41
    /// Such a record, which allows for messages of 1232 bytes.
    static let extensionRecord: [UInt8] = [0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0]
    /// How long others may believe an answer.
    private static let lifetime: [UInt8] = [0, 0, 0, 60]

    /// The answer to this question, as from a server that resolves names for others.
    ///
    /// - Parameters:
    ///   - question: the bytes of this message.
    ///   - addresses: the addresses of the name; those of other types than the one asked for are
    ///     left out.
    package func answer(
        to question: [UInt8], code: UInt8 = 0, isTruncated: Bool = false,
        addresses: [IPAddress] = []
    ) -> [UInt8] {
        var bytes = Array(question[..<questionEnd])
        // It keeps the opcode and RD of the question (section 4.1.1), and CD (RFC 4035, 3.2.2).
        bytes[2] = 0x80 | bytes[2] & 0x79 | (isTruncated ? 0x02 : 0)
        bytes[3] = 0x80 | bytes[3] & 0x10 | code
        for place in 6..<Self.headerLength { bytes[place] = 0 }
        let records = addresses.prefix(16).filter {
            AddressType(rawValue: type) == ($0.isIPv6 ? .aaaa : .a)
        }
        bytes[7] = UInt8(records.count)
        for address in records {
            let value = address.bytes
            bytes += [0xc0, UInt8(Self.headerLength)] + Self.big(type) + Self.big(Self.internet)
            bytes += Self.lifetime + Self.big(UInt16(value.count)) + value
        }
        if hasExtensions(question) {
            bytes[11] = 1
            bytes += Self.extensionRecord
        }
        return bytes
    }

    /// Whether a question says that its sender knows EDNS; then an answer must say so too.
    private func hasExtensions(_ question: [UInt8]) -> Bool {
        question.count >= questionEnd + Self.extensionRecord.count
            && question.span.word(at: 6) == 0 && question.span.word(at: 8) == 0
            && question.span.word(at: 10) > 0 && question[questionEnd] == 0
            && question.span.word(at: questionEnd + 1) == Self.extensions
    }
}

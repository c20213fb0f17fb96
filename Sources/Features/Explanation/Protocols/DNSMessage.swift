/// The first question of a DNS message (RFC 1035, section 4).
struct DNSMessage: Hashable, Sendable {
    var identifier: UInt16
    var isResponse: Bool
    /// The name asked for, in lower case, without the final dot.
    var name: String
    /// The type of record, such as 1 (A) or 28 (AAAA).
    var type: UInt16

    /// Reads a message that has one; nil if it is none.
    init?(_ payload: [UInt8]) {
        let bytes = payload.span
        guard bytes.count >= 17, bytes.word(at: 4) >= 1 else { return nil }
        identifier = bytes.word(at: 0)
        isResponse = bytes[2] & 0x80 != 0
        var labels: [String] = []
        var offset = 12
        while offset < bytes.count, bytes[offset] != 0 {
            let length = Int(bytes[offset])
            // The first name of a message is not compressed, and has at most 127 labels.
            guard length < 64, offset + 1 + length < bytes.count, labels.count < 128 else {
                return nil
            }
            labels.append(bytes.extracting(offset + 1..<offset + 1 + length).text.lowercased())
            offset += 1 + length
        }
        guard offset + 5 <= bytes.count else { return nil }
        name = labels.joined(separator: ".")
        type = bytes.word(at: offset + 1)
    }

    var typeName: String {
        switch type {
        case 1: "A"
        case 28: "AAAA"
        case 65: "HTTPS"
        case 5: "CNAME"
        case 12: "PTR"
        case 15: "MX"
        case 16: "TXT"
        case 33: "SRV"
        default: "type \(type)"
        }
    }
}

import LinuxKernel

/// The first question of a DNS message (RFC 1035, section 4).
struct DNSMessage: Hashable, Sendable {
    var identifier: UInt16
    var isResponse: Bool
    /// The name asked for, in lower case, without the final dot.
    var name: String
    /// The type of record, such as 1 (A) or 28 (AAAA).
    var type: UInt16
    /// The addresses of a response, also those of the names to which an alias leads.
    var addresses: [IPAddress] = []

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
        if isResponse {
            addresses = Self.addresses(
                in: bytes, from: offset + 5, answers: Int(bytes.word(at: 6)), of: type)
        }
    }

    /// The addresses in the answers behind the question.
    private static func addresses(
        in bytes: Span<UInt8>, from start: Int, answers: Int, of type: UInt16
    ) -> [IPAddress] {
        var addresses: [IPAddress] = []
        var offset = start
        for _ in 0..<answers {
            guard let name = end(ofName: offset, in: bytes), name + 10 <= bytes.count else { break }
            let length = Int(bytes.word(at: name + 8))
            let data = name + 10
            guard data + length <= bytes.count else { break }
            if bytes.word(at: name) == type, type == 1 && length == 4 || type == 28 && length == 16
            {
                let value = (data..<data + length).map { bytes[$0] }
                if let address = IPAddress(bytes: value) { addresses.append(address) }
            }
            offset = data + length
        }
        return addresses
    }

    /// Where a name ends, which may be compressed (section 4.1.4).
    private static func end(ofName start: Int, in bytes: Span<UInt8>) -> Int? {
        var offset = start
        while offset < bytes.count {
            let length = Int(bytes[offset])
            if length == 0 { return offset + 1 }
            if length >= 0xc0 { return offset + 2 }
            offset += 1 + length
        }
        return nil
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

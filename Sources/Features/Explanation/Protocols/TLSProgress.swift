/// How far a client's side of a TLS connection has come.
///
/// From ClientHello to the client's first record of application data (RFC 8446, section 5.1): in
/// TLS 1.3 that is the one with its Finished, to which it adds its request; in TLS 1.2 the request.
struct TLSProgress: Sendable {
    /// Whether the client still shakes hands.
    private(set) var isHandshake = true
    /// The rest of the record that has begun.
    private var remaining = 0
    private var header: [UInt8] = []

    /// Whether a client's first bytes are a record with a ClientHello.
    static func begins(_ payload: [UInt8]) -> Bool {
        payload.count >= 6 && payload[0] == 22 && payload[1] == 3 && payload[2] <= 4
            && payload[5] == 1
    }

    /// Takes the client's next bytes, of which only the first may be known.
    mutating func take(_ payload: [UInt8], length: Int) {
        guard isHandshake else { return }
        var offset = 0
        while offset < length {
            if remaining > 0 {
                let step = min(remaining, length - offset)
                remaining -= step
                offset += step
                continue
            }
            guard offset < payload.count else {
                // Only application data comes in segments of this size.
                isHandshake = false
                return
            }
            header.append(payload[offset])
            offset += 1
            guard header.count == 5 else { continue }
            if header[0] == 23 { isHandshake = false }
            remaining = Int(header[3]) << 8 | Int(header[4])
            header = []
        }
    }
}

/// The server's name in a ClientHello (RFC 6066, section 3).
enum ServerName {
    /// The name in the beginning of a client's stream; nil if there is none, or not yet.
    static func name(in stream: [UInt8]) -> String? {
        let bytes = stream.span
        // Behind the headers of record and message: version, random, session.
        var offset = 5 + 4 + 2 + 32
        func skip(_ size: Int) -> Bool {
            guard offset + size <= bytes.count else { return false }
            let length = size == 1 ? Int(bytes[offset]) : Int(bytes.word(at: offset))
            offset += size + length
            return true
        }
        // Session, cipher suites, compression methods.
        guard skip(1), skip(2), skip(1), offset + 2 <= bytes.count else { return nil }
        offset += 2
        while offset + 4 <= bytes.count {
            let (type, length) = (bytes.word(at: offset), Int(bytes.word(at: offset + 2)))
            offset += 4
            guard offset + length <= bytes.count else { return nil }
            if type == 0, length > 5 {
                let size = Int(bytes.word(at: offset + 3))
                guard size <= length - 5 else { return nil }
                return bytes.extracting(offset + 5..<offset + 5 + size).text
            }
            offset += length
        }
        return nil
    }
}

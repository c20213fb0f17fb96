/// Addresses of IPv6 in the place of those of IPv4 (DNS64, RFC 6147).
extension DNSMessage {
    /// A record of an answer that says where a name leads.
    package struct NameRecord: Hashable, Sendable {
        /// The name that it is about, as a message has it without compression.
        var owner: [UInt8]
        package var type: UInt16
        var lifetime: UInt32
        /// An address, or the name to which an alias leads.
        var value: [UInt8]
    }

    private static let alias: UInt16 = 5
    /// No answer by UDP is longer for clients that do not say what they accept (RFC 1035, 2.3.4), or
    /// for those that do (`extensionRecord`).
    private static let longest = (plain: 512, extended: 1232)
    /// An address of IPv4 in IPv6's form, which counts as none (RFC 6147, section 5.1.4).
    private static func isMapped(_ address: IPAddress) -> Bool {
        address.high == 0 && address.low >> 32 == 0xffff
    }

    /// Whether an answer for IPv6 addresses leaves its client without one. It does not if there is no
    /// such name, or if it had no room.
    package var lacksAddresses: Bool {
        code != Code.unknownName && !isTruncated && addresses.allSatisfy(Self.isMapped)
    }

    /// Whether a client that checks signatures itself got this answer, and wants it unchanged (RFC
    /// 6147, section 5.5): it has set CD and DO.
    package func isForValidator(_ bytes: [UInt8]) -> Bool {
        guard bytes[3] & 0x10 != 0, let record = extensionRecord(in: bytes) else { return false }
        return bytes[record + 7] & 0x80 != 0
    }

    /// The same question for addresses of another type, to the same server.
    ///
    /// - Parameter isDatagram: whether it goes by UDP, where it asks for more room. By TCP there is
    ///   enough, and dnsmasq 2.90 would take all later questions of the connection for such, too.
    package func question(
        like bytes: [UInt8], _ type: AddressType, isDatagram: Bool
    ) -> [UInt8] {
        var question = Array(bytes[..<questionEnd])
        // It keeps RD and CD.
        question[2] = bytes[2] & 0x01
        question[3] = bytes[3] & 0x10
        for place in 6..<Self.headerLength { question[place] = 0 }
        question[questionEnd - 3] = UInt8(type.rawValue)
        guard isDatagram else { return question }
        question[Self.headerLength - 1] = 1
        return question + Self.extensionRecord
    }

    /// The records of a response that say where its name leads, as far as they are sound.
    package func records(in bytes: [UInt8]) -> [NameRecord] {
        var records: [NameRecord] = []
        var offset = questionEnd
        for _ in 0..<bytes.span.word(at: 6) {
            guard let (owner, start) = Self.name(at: offset, in: bytes),
                start + 10 <= bytes.count
            else { break }
            let data = start + 10
            let end = data + Int(bytes.span.word(at: start + 8))
            guard end <= bytes.count else { break }
            offset = end
            let type = bytes.span.word(at: start)
            guard bytes.span.word(at: start + 2) == Self.internet else { continue }
            var value = Array(bytes[data..<end])
            switch type {
            case AddressType.a.rawValue where value.count == 4: break
            case Self.alias:
                guard let (target, _) = Self.name(at: data, in: bytes) else { continue }
                value = target
            default: continue
            }
            records.append(
                NameRecord(
                    owner: owner, type: type, lifetime: bytes.span.long(at: start + 4),
                    value: value))
        }
        return records
    }

    /// The answer to this question with other addresses.
    ///
    /// - Parameters:
    ///   - bytes: an answer to this question, whose flags it gets.
    ///   - isDatagram: whether it goes by UDP, where it has little room.
    ///   - records: those of the answer for IPv4, the aliases among them.
    ///   - address: the address in the place of one of IPv4.
    package func answer(
        like bytes: [UInt8], isTruncated: Bool = false, isDatagram: Bool = true,
        records: [NameRecord],
        address: (IPAddress) -> IPAddress
    ) -> [UInt8] {
        let isExtended = extensionRecord(in: bytes) != nil
        let longest =
            isDatagram ? isExtended ? Self.longest.extended : Self.longest.plain : Int(UInt16.max)
        let limit = longest - (isExtended ? Self.extensionRecord.count : 0)
        var message = Array(bytes[..<questionEnd])
        // Neither authoritative nor checked.
        message[2] = 0x80 | bytes[2] & 0x01 | (isTruncated ? 0x02 : 0)
        message[3] = 0x80 | bytes[3] & 0x10
        for place in 6..<Self.headerLength { message[place] = 0 }
        let name = Array(bytes[Self.headerLength..<questionEnd - 4])
        for record in isTruncated ? [] : records {
            var (type, value) = (record.type, record.value)
            if type == AddressType.a.rawValue {
                guard let former = IPAddress(bytes: value) else { continue }
                (type, value) = (AddressType.aaaa.rawValue, address(former).bytes)
            }
            let isOwn = Self.isSame(record.owner, name)
            let owner = isOwn ? [0xc0, UInt8(Self.headerLength)] : record.owner
            let size = owner.count + 10 + value.count
            // Fewer addresses serve as well.
            guard message.count + size <= limit, message[7] < .max else { break }
            message += owner + Self.big(type) + Self.big(Self.internet)
            message += Self.big(UInt16(record.lifetime >> 16))
            message += Self.big(UInt16(truncatingIfNeeded: record.lifetime))
            message += Self.big(UInt16(value.count)) + value
            message[7] += 1
        }
        if isExtended {
            message[Self.headerLength - 1] = 1
            message += Self.extensionRecord
        }
        return message
    }

    /// Names are the same in capital letters (RFC 4343).
    private static func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        func small(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        return left.count == right.count && zip(left, right).allSatisfy { small($0) == small($1) }
    }

    /// A name without compression, and where it ends in the message (section 4.1.4); nil if it is
    /// unsound.
    private static func name(at start: Int, in bytes: [UInt8]) -> (name: [UInt8], end: Int)? {
        var name: [UInt8] = []
        var offset = start
        var end: Int?
        // Each pointer leads further back.
        var limit = start
        while offset < bytes.count {
            let length = Int(bytes[offset])
            if length == 0 { return (name + [0], end ?? offset + 1) }
            guard length < 0xc0 else {
                guard offset + 1 < bytes.count else { return nil }
                end = end ?? offset + 2
                let target = (length & 0x3f) << 8 | Int(bytes[offset + 1])
                guard target < limit else { return nil }
                (offset, limit) = (target, target)
                continue
            }
            guard length <= longestLabel, offset + 1 + length <= bytes.count,
                name.count + length <= longestName
            else { return nil }
            name += bytes[offset...offset + length]
            offset += 1 + length
        }
        return nil
    }

    /// Where the record of EDNS is in a response; nil without one.
    private func extensionRecord(in bytes: [UInt8]) -> Int? {
        var offset = questionEnd
        let span = bytes.span
        let count = Int(span.word(at: 6)) + Int(span.word(at: 8)) + Int(span.word(at: 10))
        for _ in 0..<count {
            guard let start = Self.end(ofName: offset, in: span), start + 10 <= bytes.count else {
                return nil
            }
            if span.word(at: start) == Self.extensions { return start - 1 }
            offset = start + 10 + Int(span.word(at: start + 8))
        }
        return nil
    }
}

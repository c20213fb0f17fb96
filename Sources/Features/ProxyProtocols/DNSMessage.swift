public import LinuxKernel

/// Questions for addresses to a name server, and its answers (RFC 1035, section 4).
public enum DNSMessage {
    /// The kinds of records asked for.
    public enum Kind: UInt16, Sendable, Hashable, CaseIterable {
        case a = 1
        case aaaa = 28
    }

    /// What a server has answered.
    public struct Answer: Sendable, Hashable {
        /// The number of the question.
        public let number: UInt16
        /// What was asked for.
        public let kind: Kind
        /// Whether there is no such name.
        public let isUnknownName: Bool
        /// Whether the server could not answer.
        public let isFailure: Bool
        /// Whether addresses are missing for lack of room.
        public let isTruncated: Bool
        /// The addresses in the server's order.
        public let addresses: [IPAddress]
    }

    private static let headerLength = 12
    private static let internet: UInt16 = 1
    private static let longestLabel = 63

    /// A question; nil for a name that cannot be asked for.
    public static func question(
        number: UInt16, name: String, _ kind: Kind
    ) -> [UInt8]? {
        let bare = name.hasSuffix(".") ? name.dropLast() : name[...]
        let labels = bare.split(separator: ".", omittingEmptySubsequences: false)
        guard !bare.isEmpty, labels.allSatisfy({ (1...longestLabel).contains($0.utf8.count) }),
            bare.utf8.count <= TargetAddress.longestName
        else { return nil }
        // One question, and recursion is desired.
        var bytes = big(number) + [0x01, 0x00] + big(1) + [0, 0, 0, 0, 0, 0]
        for label in labels { bytes += [UInt8(label.utf8.count)] + label.utf8 }
        return bytes + [0] + big(kind.rawValue) + big(internet)
    }

    /// Reads an answer; nil for anything else.
    public static func answer(_ bytes: [UInt8]) -> Answer? {
        guard bytes.count >= headerLength, bytes[2] & 0x80 != 0 else { return nil }
        let (questions, records) = (number(bytes, at: 4), number(bytes, at: 6))
        guard questions == 1, let end = skipName(bytes, from: headerLength), end + 4 <= bytes.count,
            let kind = Kind(rawValue: number(bytes, at: end))
        else { return nil }
        var addresses: [IPAddress] = []
        var position = end + 4
        for _ in 0..<records {
            guard let start = skipName(bytes, from: position), start + 10 <= bytes.count else {
                break
            }
            let length = Int(number(bytes, at: start + 8))
            let data = start + 10
            guard data + length <= bytes.count else { break }
            if number(bytes, at: start) == kind.rawValue, number(bytes, at: start + 2) == internet,
                let address = IPAddress(bytes: bytes[data..<data + length]),
                address.isIPv6 == (kind == .aaaa)
            {
                addresses.append(address)
            }
            position = data + length
        }
        let code = bytes[3] & 0x0f
        return Answer(
            number: number(bytes, at: 0), kind: kind, isUnknownName: code == 3,
            isFailure: code != 0 && code != 3, isTruncated: bytes[2] & 0x02 != 0,
            addresses: addresses)
    }

    /// The position behind a name, which may end with a pointer to another one.
    private static func skipName(_ bytes: [UInt8], from start: Int) -> Int? {
        var position = start
        while position < bytes.count {
            let length = Int(bytes[position])
            if length == 0 { return position + 1 }
            if length & 0xc0 == 0xc0 { return position + 2 <= bytes.count ? position + 2 : nil }
            guard length <= longestLabel else { return nil }
            position += 1 + length
        }
        return nil
    }

    private static func number(_ bytes: [UInt8], at position: Int) -> UInt16 {
        UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])
    }

    private static func big(_ number: UInt16) -> [UInt8] {
        [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
    }
}

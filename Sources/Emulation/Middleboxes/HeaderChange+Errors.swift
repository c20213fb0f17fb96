import LinuxKernel

/// ICMP errors in the other family (RFC 7915, sections 4.2, 4.3, 5.2 and 5.3).
extension HeaderChange {
    /// What an error says.
    struct ErrorMeaning: Sendable, Hashable {
        var type: UInt8
        var code: UInt8
        /// The second word of the message: an MTU, or where the fault is.
        var parameter: UInt32 = 0
    }

    /// The MTU of the links on both sides, Ethernet's.
    public static let mtu = 1500
    /// How much longer the header of IPv6 is than that of IPv4.
    public static let headerDifference = 20
    private static let leastMTU = (ipv4: 68, ipv6: 1280)
    /// The most bytes of an error (RFC 1812, section 4.3.2.3; RFC 4443, section 2.4(c)).
    private static let longestError = (ipv4: 576, ipv6: 1280)
    /// The MTUs that routers that do not tell theirs may have (RFC 1191, section 7.1).
    private static let plateaus = [17914, 8166, 4352, 2002, 1492, 1006, 508, 296, 68]

    /// An ICMP error with the packet that it quotes; nil if it has no translation.
    ///
    /// - Parameter packet: from its IP header on, with a finished checksum.
    public func translatedError(_ packet: [UInt8]) -> [UInt8]? {
        guard let former = FormerHeader(packet.span, at: 0), translates(former),
            former.hopLimit > 1, former.fragment == nil, let source, let target,
            former.length + 8 <= packet.count
        else { return nil }
        let message = packet[former.length...].prefix(former.payloadLength)
        guard message.count > 8 else { return nil }
        var quoted = Array(message.dropFirst(8))
        let meaning = ErrorMeaning(
            type: message[former.length], code: message[former.length + 1],
            parameter: message[(former.length + 4)..<(former.length + 8)].reduce(0) {
                $0 << 8 | UInt32($1)
            })
        let isIPv6 = former.isIPv6
        guard
            let meaning = isIPv6
                ? Self.ipv4Meaning(of: meaning)
                : Self.ipv6Meaning(of: meaning, quotedLength: Self.length(of: quoted))
        else { return nil }
        let inner = HeaderChange(
            source: quotedSource, target: quotedTarget, changesFamily: true)
        var span = quoted.mutableSpan
        guard let header = inner.quotedHeader(in: &span) else { return nil }
        let quote = header.bytes + quoted.dropFirst(header.formerLength)
        let limit = isIPv6 ? Self.longestError.ipv4 - 28 : Self.longestError.ipv6 - 48
        var error: [UInt8] = [meaning.type, meaning.code, 0, 0, 0, 0, 0, 0]
        error.set(UInt16(truncatingIfNeeded: meaning.parameter >> 16), at: 4)
        error.set(UInt16(truncatingIfNeeded: meaning.parameter), at: 6)
        error += quote.prefix(limit)
        let checksum = PacketChecksum.ofTransport(
            error[...], isIPv6 ? IPProtocol.icmp : IPProtocol.icmpv6, from: source.address,
            to: target.address)
        error.set(checksum, at: 2)
        return self.header(
            instead: former, payloadLength: error.count, hopLimit: former.hopLimit - 1) + error
    }

    private static func length(of ipv4: [UInt8]) -> Int {
        ipv4.count >= 4 ? Int(ipv4.number(at: 2)) : 0
    }

    /// What an error of IPv4 means in IPv6; nil for what has no meaning there.
    static func ipv6Meaning(of error: ErrorMeaning, quotedLength: Int) -> ErrorMeaning? {
        switch (error.type, error.code) {
        case (3, 0), (3, 1), (3, 5), (3, 6), (3, 7), (3, 8), (3, 11), (3, 12):
            return ErrorMeaning(type: 1, code: 0)
        // "Protocol unreachable": the fault is in the next header field.
        case (3, 2): return ErrorMeaning(type: 4, code: 1, parameter: 6)
        case (3, 3): return ErrorMeaning(type: 1, code: 4)
        case (3, 4):
            var size = Int(error.parameter & 0xffff)
            if size == 0 { size = plateaus.first { $0 < quotedLength } ?? leastMTU.ipv4 }
            let told = min(size + headerDifference, mtu)
            return ErrorMeaning(type: 2, code: 0, parameter: UInt32(max(told, leastMTU.ipv6)))
        case (3, 9), (3, 10), (3, 13), (3, 15): return ErrorMeaning(type: 1, code: 1)
        case (11, 0), (11, 1): return ErrorMeaning(type: 3, code: error.code)
        case (12, 0), (12, 2):
            guard let place = ipv6Place(of: error.parameter >> 24) else { return nil }
            return ErrorMeaning(type: 4, code: 0, parameter: place)
        default: return nil
        }
    }

    /// What an error of IPv6 means in IPv4; nil for what has no meaning there.
    static func ipv4Meaning(of error: ErrorMeaning) -> ErrorMeaning? {
        switch (error.type, error.code) {
        case (1, 0), (1, 2), (1, 3): return ErrorMeaning(type: 3, code: 1)
        case (1, 1): return ErrorMeaning(type: 3, code: 10)
        case (1, 4): return ErrorMeaning(type: 3, code: 3)
        case (2, _):
            let told = min(Int(error.parameter), mtu) - headerDifference
            return ErrorMeaning(type: 3, code: 4, parameter: UInt32(max(told, leastMTU.ipv4)))
        case (3, 0), (3, 1): return ErrorMeaning(type: 11, code: error.code)
        case (4, 0):
            guard let place = ipv4Place(of: error.parameter) else { return nil }
            return ErrorMeaning(type: 12, code: 0, parameter: place << 24)
        case (4, 1): return ErrorMeaning(type: 3, code: 2)
        default: return nil
        }
    }

    /// Where in the header of IPv6 what is at a place of IPv4's is.
    private static func ipv6Place(of place: UInt32) -> UInt32? {
        switch place {
        case 0, 1: place
        case 2, 3: 4
        case 8: 7
        case 9: 6
        case 12...15: 8
        case 16...19: 24
        default: nil
        }
    }

    /// Where in the header of IPv4 what is at a place of IPv6's is.
    private static func ipv4Place(of place: UInt32) -> UInt32? {
        switch place {
        case 0, 1: place
        case 4, 5: 2
        case 6: 9
        case 7: 8
        case 8...23: 12
        case 24...39: 16
        default: nil
        }
    }
}

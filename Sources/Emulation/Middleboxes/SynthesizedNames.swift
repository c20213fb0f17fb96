import LinuxKernel

/// What a name server adds for names without an IPv6 address (DNS64, RFC 6147), in virtual time.
///
/// It stands before the network's own name server: where that has no IPv6 address for the app, it is
/// asked for those of IPv4, in the app's name, and the answer is turned into the one that the app
/// waits for. `NameStream` does so by TCP.
struct SynthesizedNames: Sendable {
    /// A question of the app.
    private struct Key: Hashable, Sendable {
        var app: Endpoint
        var server: Endpoint
        var identifier: UInt16
    }

    /// Whether addresses of IPv6 lead nowhere, and count as none (RFC 6147, section 5.1.4).
    let ignoresIPv6: Bool
    /// The answers that had no addresses, until those of IPv4 are known.
    private var waiting = RecencyTable<Key, [UInt8]>(capacity: 1000)
    /// No client waits longer.
    private static let patience = Duration.seconds(30)

    init(ignoresIPv6: Bool = false) { self.ignoresIPv6 = ignoresIPv6 }

    /// What becomes of an answer of the name server to the app; nil if it passes as it is.
    mutating func decide(
        _ bytes: [UInt8], from server: Endpoint, to app: Endpoint, at now: Duration
    ) -> MiddleboxVerdict? {
        guard let answer = DNSMessage(bytes), answer.isInternetResponse else { return nil }
        while let oldest = waiting.oldest, waiting.isFull || now - oldest.time > Self.patience {
            waiting.remove(oldest.key)
        }
        let key = Key(app: app, server: server, identifier: answer.identifier)
        switch DNSMessage.AddressType(rawValue: answer.type) {
        case .aaaa:
            guard
                let question =
                    Self.question(
                        after: answer, bytes, ignoresIPv6: ignoresIPv6, isDatagram: true)
            else { return nil }
            waiting.set(bytes, for: key, at: now)
            return .askedAgain(IPPacket.datagram(from: app, to: server, payload: question))
        case .a:
            guard let former = waiting[key], let message = DNSMessage(former),
                message.name == answer.name
            else { return nil }
            waiting.remove(key)
            let (payload, isSynthesized) = Self.answer(
                in: (message, former), from: (answer, bytes), isDatagram: true)
            return .replaced(
                IPPacket.datagram(from: server, to: app, payload: payload),
                isSynthesized: isSynthesized)
        case nil: return nil
        }
    }

    /// The question for addresses of IPv4 that follows an answer for those of IPv6; nil if the app gets
    /// that as it is.
    ///
    /// - Parameter ignoresIPv6: whether hosts of IPv6 are beyond reach; those within the run are not.
    static func question(
        after answer: DNSMessage, _ bytes: [UInt8], ignoresIPv6: Bool, isDatagram: Bool
    ) -> [UInt8]? {
        let isUseless =
            ignoresIPv6 && !answer.isTruncated && !answer.addresses.isEmpty
            && answer.addresses.allSatisfy { $0.high >> 61 == 1 }
        guard answer.lacksAddresses || isUseless, !answer.isForValidator(bytes) else { return nil }
        return answer.question(like: bytes, .a, isDatagram: isDatagram)
    }

    /// What the app gets, and whether there are addresses in it.
    ///
    /// - Parameters:
    ///   - former: the answer for addresses of IPv6, which had none.
    ///   - later: that for those of IPv4.
    static func answer(
        in former: (message: DNSMessage, bytes: [UInt8]),
        from later: (message: DNSMessage, bytes: [UInt8]), isDatagram: Bool
    ) -> (bytes: [UInt8], isSynthesized: Bool) {
        let answer = later.message
        let records = answer.records(in: later.bytes)
        let isEmpty = !records.contains { $0.type == DNSMessage.AddressType.a.rawValue }
        let bytes =
            answer.code != 0
            ? former.message.answer(to: former.bytes, code: answer.code)
            : isEmpty && !answer.isTruncated
                ? former.bytes
                : former.message.answer(
                    like: former.bytes, isTruncated: answer.isTruncated, isDatagram: isDatagram,
                    records: records, address: NAT64.address(for:))
        return (bytes, !isEmpty && !answer.isTruncated)
    }
}

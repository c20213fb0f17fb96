import LinuxKernel

/// What a name server adds for names without an IPv6 address (DNS64, RFC 6147), in virtual time.
///
/// It stands before the network's own name server: where that has no IPv6 address for the app, it is
/// asked for those of IPv4, in the app's name, and the answer is turned into the one that the app
/// waits for. Answers by TCP pass as they are.
struct SynthesizedNames: Sendable {
    /// A question of the app.
    private struct Key: Hashable, Sendable {
        var app: Endpoint
        var server: Endpoint
        var identifier: UInt16
    }

    /// The answers that had no addresses, until those of IPv4 are known.
    private var waiting = RecencyTable<Key, [UInt8]>(capacity: 1000)
    /// No client waits longer.
    private static let patience = Duration.seconds(30)

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
            guard answer.lacksAddresses, !answer.isForValidator(bytes) else { return nil }
            waiting.set(bytes, for: key, at: now)
            let question = answer.question(like: bytes, .a)
            return .askedAgain(IPPacket.datagram(from: app, to: server, payload: question))
        case .a:
            guard let former = waiting[key], let message = DNSMessage(former),
                message.name == answer.name
            else { return nil }
            waiting.remove(key)
            let records = answer.records(in: bytes)
            let isEmpty = !records.contains { $0.type == DNSMessage.AddressType.a.rawValue }
            let payload =
                answer.code != 0
                ? message.answer(to: former, code: answer.code)
                : isEmpty && !answer.isTruncated
                    ? former
                    : message.answer(
                        like: former, isTruncated: answer.isTruncated, records: records,
                        address: NAT64.address(for:))
            return .replaced(
                IPPacket.datagram(from: server, to: app, payload: payload),
                isSynthesized: !isEmpty)
        case nil: return nil
        }
    }
}

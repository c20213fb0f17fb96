/// What the kernel does for a ping socket, for a raw socket in its place.
struct RawEcho: Sendable, Hashable {
    let isIPv6: Bool
    /// By which replies are known from those for other programs.
    let identifier: UInt16

    init(isIPv6: Bool, identifier: UInt16 = .random(in: .min ... .max)) {
        self.isIPv6 = isIPv6
        self.identifier = identifier
    }

    /// The ICMP message of an echo request as it is sent.
    func request(_ message: [UInt8]) -> [UInt8] {
        guard message.count >= 8 else { return message }
        var message = message
        message.set(identifier, at: 4)
        // The kernel computes that of ICMPv6.
        guard !isIPv6 else { return message }
        message.set(0, at: 2)
        var checksum = PacketChecksum()
        checksum.add(message[...])
        message.set(checksum.value, at: 2)
        return message
    }

    /// The ICMP message of a reply to it in a received packet; nil if it is none.
    func reply(in packet: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        // With IPv4 the header comes first.
        let header = isIPv6 ? 0 : packet.first.map { Int($0 & 0xf) * 4 } ?? 0
        let message = packet.dropFirst(header)
        guard message.count >= 8, message.first == (isIPv6 ? 129 : 0),
            Array(message.prefix(8)).number(at: 4) == identifier
        else { return nil }
        return message
    }
}

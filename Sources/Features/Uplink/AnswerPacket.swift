import LinuxKernel

/// Why a packet could not be delivered, as ICMP says it.
enum Unreachability: Sendable, Hashable {
    case network
    case host
    case port
    /// A firewall forbids it.
    case prohibited

    /// The code of ICMP's type 3 (RFC 792, RFC 1812).
    var icmpCode: UInt8 {
        switch self {
        case .network: 0
        case .host: 1
        case .port: 3
        case .prohibited: 13
        }
    }

    /// The code of ICMPv6's type 1 (RFC 4443, section 3.1).
    var icmpv6Code: UInt8 {
        switch self {
        case .network: 0
        case .prohibited: 1
        case .host: 3
        case .port: 4
        }
    }
}

/// Packets that the relay sends to the app in the name of others, from their IP header on. The
/// IPv4 header's own checksum is left to the kernel.
enum AnswerPacket {
    /// The largest packet that a host has to take (RFC 791, RFC 8200): how much an error quotes.
    private static let quoteLimit = (ipv4: 576, ipv6: 1280)
    private static let hopLimit: UInt8 = 64

    /// An IP packet.
    static func packet(
        _ transport: UInt8, from source: IPAddress, to destination: IPAddress,
        payload: some Collection<UInt8>
    ) -> [UInt8] {
        var bytes: [UInt8]
        if source.isIPv6 {
            bytes = [0x60, 0, 0, 0, 0, 0, transport, hopLimit]
            bytes.set(UInt16(truncatingIfNeeded: payload.count), at: 4)
        } else {
            bytes = [0x45, 0, 0, 0, 0, 0, 0, 0, hopLimit, transport, 0, 0]
            bytes.set(UInt16(truncatingIfNeeded: 20 + payload.count), at: 2)
        }
        bytes.reserveCapacity(40 + payload.count)
        bytes += source.bytes
        bytes += destination.bytes
        bytes += payload
        return bytes
    }

    /// A UDP datagram.
    static func datagram(
        from source: Endpoint, to destination: Endpoint, payload: ArraySlice<UInt8>
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes.set(source.port, at: 0)
        bytes.set(destination.port, at: 2)
        bytes.set(UInt16(truncatingIfNeeded: 8 + payload.count), at: 4)
        bytes += payload
        let checksum = PacketChecksum.ofTransport(
            bytes[...], IPProtocol.udp, from: source.address, to: destination.address)
        // Zero would mean that there is none (RFC 768).
        bytes.set(checksum == 0 ? 0xffff : checksum, at: 6)
        return packet(
            IPProtocol.udp, from: source.address, to: destination.address, payload: bytes)
    }

    /// The refusal of a TCP connection (RFC 9293, section 3.5.2).
    static func reset(answering request: RequestPacket) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 20)
        bytes.set(request.destination.port, at: 0)
        bytes.set(request.source.port, at: 2)
        let acknowledged = request.sequenceNumber &+ 1
        bytes.set(UInt16(acknowledged >> 16), at: 8)
        bytes.set(UInt16(truncatingIfNeeded: acknowledged), at: 10)
        bytes[12] = 5 << 4
        bytes[13] = 0x14
        let (source, destination) = (request.destination.address, request.source.address)
        bytes.set(
            PacketChecksum.ofTransport(bytes[...], IPProtocol.tcp, from: source, to: destination),
            at: 16)
        return packet(IPProtocol.tcp, from: source, to: destination, payload: bytes)
    }

    /// The news that `packet` did not arrive, from `reporter` to its sender.
    static func unreachable(
        _ reason: Unreachability, quoting packet: [UInt8], from reporter: IPAddress,
        to sender: IPAddress
    ) -> [UInt8] {
        let limit =
            sender.isIPv6 ? quoteLimit.ipv6 - 48 : quoteLimit.ipv4 - 28
        let start: [UInt8] = sender.isIPv6 ? [1, reason.icmpv6Code] : [3, reason.icmpCode]
        return message(
            start + [0, 0, 0, 0, 0, 0] + packet.prefix(limit), from: reporter, to: sender)
    }

    /// The answer to an echo request.
    ///
    /// - Parameter answer: the ICMP message that came, whose identifier is the host's.
    static func echoReply(
        _ answer: ArraySlice<UInt8>, identifier: UInt16, from source: IPAddress,
        to destination: IPAddress
    ) -> [UInt8] {
        var bytes = Array(answer)
        bytes[0] = source.isIPv6 ? 129 : 0
        bytes.set(0, at: 2)
        bytes.set(identifier, at: 4)
        return message(bytes, from: source, to: destination)
    }

    private static func message(
        _ bytes: [UInt8], from source: IPAddress, to destination: IPAddress
    ) -> [UInt8] {
        let transport = source.isIPv6 ? IPProtocol.icmpv6 : IPProtocol.icmp
        var bytes = bytes
        bytes.set(
            PacketChecksum.ofTransport(bytes[...], transport, from: source, to: destination),
            at: 2)
        return packet(transport, from: source, to: destination, payload: bytes)
    }

    /// Cuts a packet into parts of at most `mtu` bytes (RFC 791, section 3.2; RFC 8200, 4.5).
    ///
    /// - Parameter identification: what parts of the same packet have in common.
    static func fragments(of packet: [UInt8], mtu: Int, identification: UInt32) -> [[UInt8]] {
        guard packet.count > mtu, let first = packet.first else { return [packet] }
        let isIPv6 = first >> 4 == 6
        let headerLength = isIPv6 ? 40 : 20
        let step = (mtu - headerLength - (isIPv6 ? 8 : 0)) & ~7
        let payload = packet[headerLength...]
        return stride(from: 0, to: payload.count, by: step).map { offset in
            let part = payload.dropFirst(offset).prefix(step)
            let isLast = offset + part.count == payload.count
            var header = Array(packet.prefix(headerLength))
            if isIPv6 {
                header.set(UInt16(8 + part.count), at: 4)
                header += [header[6], 0, 0, 0, 0, 0, 0, 0]
                header[6] = IPProtocol.fragment
                header.set(UInt16(offset) | (isLast ? 0 : 1), at: 42)
                header.set(UInt16(identification >> 16), at: 44)
                header.set(UInt16(truncatingIfNeeded: identification), at: 46)
            } else {
                header.set(UInt16(20 + part.count), at: 2)
                header.set(UInt16(truncatingIfNeeded: identification), at: 4)
                header.set(UInt16(offset / 8) | (isLast ? 0 : 0x2000), at: 6)
            }
            return header + part
        }
    }
}

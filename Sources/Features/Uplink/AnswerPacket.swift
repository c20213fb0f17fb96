import LinuxKernel

/// Why a packet could not be delivered, in terms of ICMP.
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

/// Packets, from the IP header on, that the relay sends to the app in the name of other hosts.
enum AnswerPacket {
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
        // Zero would mean "no checksum" (RFC 768).
        bytes.set(checksum == 0 ? 0xffff : checksum, at: 6)
        return IPPacket.packet(
            IPProtocol.udp, from: source.address, to: destination.address, payload: bytes)
    }

    /// A reset that refuses a TCP connection (RFC 9293, section 3.5.2).
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
        return IPPacket.packet(
            IPProtocol.tcp, from: source, to: destination, payload: bytes)
    }

    /// A destination unreachable message about `packet`, from `reporter` to its sender.
    static func unreachable(
        _ reason: Unreachability, quoting packet: [UInt8], from reporter: IPAddress,
        to sender: IPAddress
    ) -> [UInt8] {
        sender.isIPv6
            ? IPPacket.error(
                type: 1, code: reason.icmpv6Code, quoting: packet, from: reporter, to: sender)
            : IPPacket.error(
                type: 3, code: reason.icmpCode, quoting: packet, from: reporter, to: sender)
    }

    /// An echo reply.
    ///
    /// - Parameter answer: The ICMP message received, which has the host's identifier.
    static func echoReply(
        _ answer: ArraySlice<UInt8>, identifier: UInt16, from source: IPAddress,
        to destination: IPAddress
    ) -> [UInt8] {
        var bytes = Array(answer)
        bytes[0] = source.isIPv6 ? 129 : 0
        bytes.set(0, at: 2)
        bytes.set(identifier, at: 4)
        return IPPacket.icmp(bytes, from: source, to: destination)
    }
}

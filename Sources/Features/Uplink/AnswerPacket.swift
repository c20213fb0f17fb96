import LinuxKernel

/// Why a packet could not be delivered, in terms of ICMP.
enum Unreachability: Sendable, Hashable {
    case network
    case host
    case port
    /// A firewall forbids it.
    case prohibited
    /// The destination does not know the transport protocol.
    case unknownProtocol

    /// The code of ICMP's type 3 (RFC 792, RFC 1812).
    var icmpCode: UInt8 {
        switch self {
        case .network: 0
        case .host: 1
        case .unknownProtocol: 2
        case .port: 3
        case .prohibited: 13
        }
    }

    /// The type, code and parameter of ICMPv6 (RFC 4443, sections 3.1 and 3.4).
    var icmpv6: (type: UInt8, code: UInt8, parameter: UInt32) {
        switch self {
        case .network: (1, 0, 0)
        case .prohibited: (1, 1, 0)
        case .host: (1, 3, 0)
        case .port: (1, 4, 0)
        // A parameter problem; the parameter is the place of the header's number in the packet.
        case .unknownProtocol: (4, 1, 6)
        }
    }
}

/// Packets, from the IP header on, that the relay sends to the app in the name of other hosts.
enum AnswerPacket {
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
        guard sender.isIPv6 else {
            return IPPacket.error(
                type: 3, code: reason.icmpCode, quoting: packet, from: reporter, to: sender)
        }
        let (type, code, parameter) = reason.icmpv6
        return IPPacket.error(
            type: type, code: code, parameter: parameter, quoting: packet, from: reporter,
            to: sender)
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

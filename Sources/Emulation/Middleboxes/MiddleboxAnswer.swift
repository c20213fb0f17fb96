import LinkModel
public import LinuxKernel

/// What a middlebox tells the app about a packet that does not pass.
///
/// It has no address of its own, so what it says comes from the other end of the connection.
public enum MiddleboxAnswer: Sendable, Hashable {
    /// A TCP reset back to the sender.
    case reset
    /// A TCP reset on to the receiver, which is this end of the connection: nothing else would tell
    /// the app that the rest of what it waits for does not come.
    ///
    /// - Parameter from: what this end knows the other by.
    case cut(Endpoint, from: Endpoint)
    /// ICMP "port unreachable".
    case unreachable
    /// ICMP "communication administratively prohibited".
    case prohibited
    /// ICMP "network unreachable", or "no route".
    case noRoute
    /// ICMP "hop limit exceeded".
    case expired

    /// The answer to a packet of the app that cannot go on; nil for none.
    init?(saying answer: MiddleboxAnswer, to packet: PacketFields) {
        guard packet.transportOffset != nil, !packet.isError, packet.target.address.isOfOneHost
        else { return nil }
        self = answer
    }

    /// The answer to a packet of the app; nil for none (RFC 1122, section 3.2.2; RFC 4443, section
    /// 2.4(e)).
    init?(_ answer: Firewall.Answer, to packet: PacketFields) {
        switch answer {
        case .drop: return nil
        case .icmp: self.init(saying: .prohibited, to: packet)
        case .reset where packet.transport != IPProtocol.tcp:
            self.init(saying: .unreachable, to: packet)
        case .reset:
            guard packet.kind & TCPFlag.rst == 0 else { return nil }
            self.init(saying: .reset, to: packet)
        }
    }

    /// What the app gets in the place of a packet to it; nil for nothing.
    init?(_ answer: Firewall.Answer, inPlaceOf packet: PacketFields) {
        // A request to a server of the app is none of a connection that it knows.
        guard answer == .reset, packet.transport == IPProtocol.tcp, packet.transportOffset != nil,
            !packet.opensTCP, packet.kind & TCPFlag.rst == 0
        else { return nil }
        self = .cut(packet.target, from: packet.source)
    }

    /// The bytes of the answer from the IP header on.
    ///
    /// - Parameter packet: the packet that does not pass, from its IP header on.
    public func bytes(to packet: [UInt8], _ fields: PacketFields) -> [UInt8]? {
        let (source, target) = (fields.source.address, fields.target.address)
        switch self {
        case .reset: return Self.reset(packet, fields)
        case .cut(let receiver, let sender):
            return Self.cut(packet, fields, from: sender, to: receiver)
        case .unreachable:
            return IPPacket.error(
                type: source.isIPv6 ? 1 : 3, code: source.isIPv6 ? 4 : 3, quoting: packet,
                from: target, to: source)
        case .prohibited:
            return IPPacket.error(
                type: source.isIPv6 ? 1 : 3, code: source.isIPv6 ? 1 : 13, quoting: packet,
                from: target, to: source)
        case .noRoute:
            return IPPacket.error(
                type: source.isIPv6 ? 1 : 3, code: 0, quoting: packet, from: target, to: source)
        case .expired:
            return IPPacket.error(
                type: source.isIPv6 ? 3 : 11, code: 0, quoting: packet, from: target, to: source)
        }
    }

    /// A reset that the sender of a segment accepts (RFC 9293, section 3.10.7.1).
    private static func reset(_ packet: [UInt8], _ fields: PacketFields) -> [UInt8]? {
        guard let start = fields.transportOffset, start + 20 <= packet.count else { return nil }
        guard fields.kind & TCPFlag.ack == 0 else {
            return reset(
                from: fields.target, to: fields.source, TCPFlag.rst,
                sequence: packet[start + 8..<start + 12])
        }
        let dataStart = start + Int(packet[start + 12] >> 4) * 4
        let controls = [TCPFlag.syn, TCPFlag.fin].count { fields.kind & $0 != 0 }
        let sequence =
            UInt32(packet.number(at: start + 4)) << 16 | UInt32(packet.number(at: start + 6))
        let next = sequence &+ UInt32(max(0, packet.count - dataStart) + controls)
        return reset(
            from: fields.target, to: fields.source, TCPFlag.rst | TCPFlag.ack,
            acknowledged: (0..<4).map { UInt8(truncatingIfNeeded: next >> (24 - 8 * $0)) }[...])
    }

    /// A reset that the receiver of a segment accepts, or answers with a segment to which the next
    /// one is exact (RFC 5961, section 3.2).
    private static func cut(
        _ packet: [UInt8], _ fields: PacketFields, from sender: Endpoint, to receiver: Endpoint
    ) -> [UInt8]? {
        guard let start = fields.transportOffset, start + 20 <= packet.count else { return nil }
        return reset(
            from: sender, to: receiver, TCPFlag.rst | fields.kind & TCPFlag.ack,
            sequence: packet[start + 4..<start + 8], acknowledged: packet[start + 8..<start + 12])
    }

    private static func reset(
        from source: Endpoint, to target: Endpoint, _ flags: UInt8,
        sequence: ArraySlice<UInt8>? = nil,
        acknowledged: ArraySlice<UInt8>? = nil
    ) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 20)
        header.set(source.port, at: 0)
        header.set(target.port, at: 2)
        if let sequence { header.replaceSubrange(4..<8, with: sequence) }
        if let acknowledged { header.replaceSubrange(8..<12, with: acknowledged) }
        header[12] = 5 << 4
        header[13] = flags
        header.set(
            PacketChecksum.ofTransport(
                header[...], IPProtocol.tcp, from: source.address, to: target.address), at: 16)
        return IPPacket.packet(
            IPProtocol.tcp, from: source.address, to: target.address, payload: header)
    }
}

extension IPAddress {
    /// Whether it is neither unspecified nor a multicast address.
    var isOfOneHost: Bool {
        isIPv6 ? (high, low) != (0, 0) && high >> 56 != 0xff : (1..<224).contains(low >> 24)
    }
}

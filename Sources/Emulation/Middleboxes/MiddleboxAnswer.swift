import LinkModel
import LinuxKernel

/// What a middlebox sends back to the sender of a packet that does not pass.
///
/// It has no address of its own, so its answers come from the packet's receiver.
public enum MiddleboxAnswer: Sendable, Hashable {
    /// A TCP reset.
    case reset
    /// ICMP "port unreachable".
    case unreachable
    /// ICMP "communication administratively prohibited".
    case prohibited

    /// The answer to a packet; nil for none (RFC 1122, section 3.2.2; RFC 4443, section 2.4(e)).
    init?(_ answer: Firewall.Answer, to packet: PacketFields) {
        guard packet.transportOffset != nil, !packet.isError, packet.target.address.isOfOneHost
        else { return nil }
        switch answer {
        case .drop: return nil
        case .icmp: self = .prohibited
        case .reset where packet.transport != IPProtocol.tcp: self = .unreachable
        case .reset:
            guard packet.kind & TCPFlag.rst == 0 else { return nil }
            self = .reset
        }
    }

    /// The bytes of the answer from the IP header on.
    ///
    /// - Parameter packet: the packet that does not pass, from its IP header on.
    public func bytes(to packet: [UInt8], _ fields: PacketFields) -> [UInt8]? {
        let (source, target) = (fields.source.address, fields.target.address)
        switch self {
        case .reset: return Self.reset(packet, fields)
        case .unreachable:
            return IPPacket.error(
                type: source.isIPv6 ? 1 : 3, code: source.isIPv6 ? 4 : 3, quoting: packet,
                from: target, to: source)
        case .prohibited:
            return IPPacket.error(
                type: source.isIPv6 ? 1 : 3, code: source.isIPv6 ? 1 : 13, quoting: packet,
                from: target, to: source)
        }
    }

    /// A reset that the sender of a segment accepts (RFC 9293, section 3.10.7.1).
    private static func reset(_ packet: [UInt8], _ fields: PacketFields) -> [UInt8]? {
        guard let start = fields.transportOffset, start + 20 <= packet.count else { return nil }
        let flags = fields.kind
        var header = [UInt8](repeating: 0, count: 20)
        header.set(fields.target.port, at: 0)
        header.set(fields.source.port, at: 2)
        header[12] = 5 << 4
        if flags & TCPFlag.ack != 0 {
            header.replaceSubrange(4..<8, with: packet[start + 8..<start + 12])
            header[13] = TCPFlag.rst
        } else {
            let dataStart = start + Int(packet[start + 12] >> 4) * 4
            let controls = [TCPFlag.syn, TCPFlag.fin].count { flags & $0 != 0 }
            let sequence =
                UInt32(packet.number(at: start + 4)) << 16
                | UInt32(packet.number(at: start + 6))
            let next = sequence &+ UInt32(max(0, packet.count - dataStart) + controls)
            header.set(UInt16(next >> 16), at: 8)
            header.set(UInt16(truncatingIfNeeded: next), at: 10)
            header[13] = TCPFlag.rst | TCPFlag.ack
        }
        let (source, target) = (fields.source.address, fields.target.address)
        header.set(
            PacketChecksum.ofTransport(header[...], IPProtocol.tcp, from: target, to: source),
            at: 16)
        return IPPacket.packet(IPProtocol.tcp, from: target, to: source, payload: header)
    }
}

extension IPAddress {
    /// Whether it is neither unspecified nor a multicast address.
    var isOfOneHost: Bool {
        isIPv6 ? (high, low) != (0, 0) && high >> 56 != 0xff : (1..<224).contains(low >> 24)
    }
}

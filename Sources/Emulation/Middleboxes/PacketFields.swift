public import LinuxKernel

/// The fields of an IP packet that a middlebox looks at.
///
/// Packets are untrusted: what is too short or unknown is read as far as possible.
public struct PacketFields: Sendable, Hashable {
    /// Its sender. The port of an ICMP echo is its identifier; without a port it is zero.
    public var source: Endpoint
    /// Its receiver. The port of an ICMP echo is its identifier; without a port it is zero.
    public var target: Endpoint
    /// The number of its transport protocol.
    public var transport: UInt8
    /// Where its transport header begins; nil if it has none, such as a later fragment.
    public var transportOffset: Int?
    /// The flags of TCP; the type of ICMP; zero for others.
    public var kind: UInt8 = 0
    /// Whether it begins a QUIC connection.
    public var opensQUIC = false
    /// The name that it asks a name server for by UDP; nil for others.
    public var questionName: String?
    /// What a name server says by UDP; nil for others.
    public var nameAnswer: [UInt8]?
    /// Which fragment it is; nil for a whole packet.
    public var fragment: Fragment?
    /// The packet that an ICMP error is about.
    public var quoted: QuotedFields?
    /// How many routers may still pass it on.
    public var hopLimit: UInt8

    /// One of the parts of a packet.
    public struct Fragment: Sendable, Hashable {
        /// The number that all parts share.
        public var identification: UInt32
        /// Whether it has the transport header.
        public var isFirst: Bool
    }

    /// Reads a packet from its IP header on; nil if that is not a whole one.
    public init?(_ packet: Span<UInt8>) {
        switch packet.isEmpty ? 0 : packet[0] >> 4 {
        case 4:
            let length = Int(packet[0] & 0xf) * 4
            guard length >= 20, length <= packet.count else { return nil }
            source = Endpoint(IPAddress(ipv4: packet.long(at: 12)), port: 0)
            target = Endpoint(IPAddress(ipv4: packet.long(at: 16)), port: 0)
            transport = packet[9]
            hopLimit = packet[8]
            let isFirst = packet.word(at: 6) & 0x1fff == 0
            if packet.word(at: 6) & 0x3fff != 0 {
                fragment = Fragment(
                    identification: UInt32(packet.word(at: 4)), isFirst: isFirst)
            }
            if isFirst { readTransport(packet, at: length) }
        case 6:
            guard packet.count >= 40 else { return nil }
            source = Endpoint(Self.address(packet, at: 8), port: 0)
            target = Endpoint(Self.address(packet, at: 24), port: 0)
            transport = packet[6]
            hopLimit = packet[7]
            readExtensions(packet)
        default: return nil
        }
    }

    static func address(_ packet: Span<UInt8>, at offset: Int) -> IPAddress {
        func half(_ offset: Int) -> UInt64 {
            UInt64(packet.long(at: offset)) << 32 | UInt64(packet.long(at: offset + 4))
        }
        return IPAddress(ipv6High: half(offset), low: half(offset + 8))
    }

    private mutating func readExtensions(_ packet: Span<UInt8>) {
        var offset = 40
        var isLater = false
        // No legitimate packet has more extension headers.
        for _ in 0..<8 {
            guard offset + 8 <= packet.count else { return }
            switch transport {
            case 0, 43, 60, 135:
                transport = packet[offset]
                offset += (Int(packet[offset + 1]) + 1) * 8
            case IPProtocol.fragment:
                transport = packet[offset]
                isLater = packet.word(at: offset + 2) & 0xfff8 != 0
                fragment = Fragment(
                    identification: packet.long(at: offset + 4), isFirst: !isLater)
                offset += 8
            default:
                if !isLater { readTransport(packet, at: offset) }
                return
            }
            if isLater { return }
        }
    }

    private mutating func readTransport(_ packet: Span<UInt8>, at offset: Int) {
        guard offset + 8 <= packet.count else { return }
        switch transport {
        case IPProtocol.tcp:
            guard offset + 20 <= packet.count else { return }
            kind = packet[offset + 13]
            readPorts(packet, at: offset)
        case IPProtocol.udp:
            readPorts(packet, at: offset)
            opensQUIC = Self.opensQUIC(packet, from: offset + 8)
            if target.port == DNSMessage.port, fragment == nil {
                let message = DNSMessage(packet.extracting(droppingFirst: offset + 8))
                if let message, message.isQuestion { questionName = message.name }
            }
            if source.port == DNSMessage.port, fragment == nil {
                let message = packet.extracting(droppingFirst: offset + 8)
                nameAnswer = (0..<message.count).map { message[$0] }
            }
        case IPProtocol.icmp where !source.address.isIPv6,
            IPProtocol.icmpv6 where source.address.isIPv6:
            kind = packet[offset]
            if isEcho {
                source = Endpoint(source.address, port: packet.word(at: offset + 4))
                target = Endpoint(target.address, port: packet.word(at: offset + 4))
            } else if isError {
                quoted = QuotedFields(packet, at: offset + 8)
            }
        default: break
        }
        transportOffset = offset
    }

    private mutating func readPorts(_ packet: Span<UInt8>, at offset: Int) {
        source = Endpoint(source.address, port: packet.word(at: offset))
        target = Endpoint(target.address, port: packet.word(at: offset + 2))
    }

    /// A long header of version 1 or 2 in a datagram of the least size (RFC 9000, sections 14.1 and
    /// 17.2; RFC 9369).
    private static func opensQUIC(_ packet: Span<UInt8>, from start: Int) -> Bool {
        packet.count - start >= 1200 && packet[start] & 0xc0 == 0xc0
            && [1, 0x6b33_43cf].contains(packet.long(at: start + 1))
    }

    /// Whether it is an ICMP echo request or reply.
    public var isEcho: Bool {
        switch transport {
        case IPProtocol.icmp: kind == 8 || kind == 0
        case IPProtocol.icmpv6: kind == 128 || kind == 129
        default: false
        }
    }

    /// Whether it is an ICMP message about another packet.
    public var isError: Bool {
        switch transport {
        case IPProtocol.icmp: [3, 4, 5, 11, 12].contains(kind)
        case IPProtocol.icmpv6: source.address.isIPv6 && (1..<128).contains(kind)
        default: false
        }
    }

    /// Whether it asks for a new TCP connection.
    public var opensTCP: Bool {
        transport == IPProtocol.tcp && kind & TCPFlag.opening == TCPFlag.syn
    }
}

/// The fields of a packet that an ICMP error quotes.
public struct QuotedFields: Sendable, Hashable {
    /// Its sender; for an echo, the port is the identifier.
    public var source: Endpoint
    /// Its receiver; for an echo, the port is the identifier.
    public var target: Endpoint
    /// The number of its transport protocol.
    public var transport: UInt8

    /// Reads the packet at `start`; nil if its ports are not there.
    init?(_ packet: Span<UInt8>, at start: Int) {
        guard let header = FormerHeader(packet, at: start), header.fragment?.offset ?? 0 == 0 else {
            return nil
        }
        let ports = start + header.length
        guard ports + 8 <= packet.count else { return nil }
        transport = header.transport
        let isEcho = [IPProtocol.icmp, IPProtocol.icmpv6].contains(transport)
        let (first, second) = isEcho ? (ports + 4, ports + 4) : (ports, ports + 2)
        source = Endpoint(header.source, port: packet.word(at: first))
        target = Endpoint(header.target, port: packet.word(at: second))
    }
}

/// Flags in the header of TCP (RFC 9293, section 3.1).
enum TCPFlag {
    static let fin: UInt8 = 0x01
    static let syn: UInt8 = 0x02
    static let rst: UInt8 = 0x04
    static let ack: UInt8 = 0x10
    /// Those that tell the first segment of a connection.
    static let opening = syn | ack
}

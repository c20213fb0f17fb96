import LinuxKernel
import PacketLoop

/// The addresses and protocol of a packet, from its headers.
struct PacketSummary: Hashable {
    /// For example `tcp`, `icmpv6`, `arp`; for protocols without a name here, `ip-89` or
    /// `ethernet-0x88cc`.
    var networkProtocol: String
    var source: IPAddress?
    var destination: IPAddress?
    /// For TCP and UDP.
    var sourcePort: UInt16?
    var destinationPort: UInt16?

    /// Parses the beginning of an Ethernet frame.
    init(_ frame: Span<UInt8>) {
        let headers = FrameHeaders(frame)
        networkProtocol = Self.name(headers, frame)
        let addresses = headers.network + (headers.version == 4 ? 12 : 8)
        let size = headers.version == 4 ? 4 : 16
        guard headers.version != 0, addresses + 2 * size <= frame.count else { return }
        source = Self.address(in: frame, addresses..<addresses + size)
        destination = Self.address(in: frame, addresses + size..<addresses + 2 * size)
        guard let transport = headers.transport, transport + 4 <= frame.count,
            Self.protocolsWithPorts.contains(headers.transportProtocol)
        else { return }
        sourcePort = Self.word(in: frame, at: transport)
        destinationPort = Self.word(in: frame, at: transport + 2)
    }

    private static let protocolsWithPorts: Set<UInt8> = [6, 17, 132, 136]

    private static func name(_ headers: FrameHeaders, _ frame: Span<UInt8>) -> String {
        guard headers.version != 0 else {
            guard headers.network >= 14, headers.network <= frame.count else { return "unknown" }
            let type = word(in: frame, at: headers.network - 2)
            return type == 0x0806 ? "arp" : "ethernet-0x" + hexadecimal(type)
        }
        return switch headers.transportProtocol {
        case 1: "icmp"
        case 2: "igmp"
        case 6: "tcp"
        case 17: "udp"
        case 47: "gre"
        case 50: "esp"
        case 58: "icmpv6"
        case 132: "sctp"
        case 136: "udplite"
        default: "ip-\(headers.transportProtocol)"
        }
    }

    private static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func address(in frame: Span<UInt8>, _ range: Range<Int>) -> IPAddress? {
        IPAddress(bytes: range.map { frame[$0] })
    }

    private static func word(in frame: Span<UInt8>, at offset: Int) -> UInt16 {
        UInt16(frame[offset]) << 8 | UInt16(frame[offset + 1])
    }
}

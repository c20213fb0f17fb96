import LinuxKernel
import Synchronization

/// A packet of the app of a transport protocol that the relay does not carry, such as SCTP or GRE.
struct ForeignPacket: Sendable {
    /// The packet from its IP header on; its end may be missing.
    let bytes: [UInt8]
    /// The number of the protocol.
    let number: UInt8
    /// The sender.
    let source: IPAddress
    /// The destination.
    let destination: IPAddress

    private static let carried = [
        IPProtocol.tcp, IPProtocol.udp, IPProtocol.icmp, IPProtocol.icmpv6,
    ]

    /// Parses a packet; nil if its IP header is damaged, or if it is of another protocol.
    init?(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return nil }
        let isIPv6 = first >> 4 == 6
        let length = isIPv6 ? 40 : Int(first & 0xf) * 4
        guard isIPv6 || first >> 4 == 4, length >= 20, bytes.count >= length else { return nil }
        if !isIPv6 {
            var checksum = PacketChecksum()
            checksum.add(bytes[..<length])
            // The link may have corrupted it, and then even the protocol may be another.
            guard checksum.value == 0 else { return nil }
        }
        let addresses = isIPv6 ? bytes[8..<40] : bytes[12..<20]
        guard let source = IPAddress(bytes: addresses.prefix(isIPv6 ? 16 : 4)),
            let destination = IPAddress(bytes: addresses.suffix(isIPv6 ? 16 : 4))
        else { return nil }
        number = isIPv6 ? bytes[6] : bytes[9]
        guard !Self.carried.contains(number) else { return nil }
        (self.bytes, self.source, self.destination) = (bytes, source, destination)
    }

    /// The answer of a destination that does not know the protocol.
    var refusal: [UInt8] {
        AnswerPacket.unreachable(
            .unknownProtocol, quoting: bytes, from: destination, to: source)
    }
}

/// Notes what of the app's the relay cannot carry: packets of other transport protocols, and pings
/// where the host forbids them.
final class ForeignProtocols: Sendable {
    private struct State {
        var hasForbiddenEchoes = false
        var packets: [UInt8: UInt64] = [:]
        var answers = 0
        var window = Duration.zero
    }

    private let state = Mutex(State())

    /// As Linux limits its own ICMP errors (`net.ipv4.icmp_msgs_per_sec`).
    private static let answersPerSecond = 1000

    /// Counts a packet; returns whether to answer it.
    func count(_ packet: ForeignPacket, at now: Duration) -> Bool {
        state.withLock { state in
            state.packets[packet.number, default: 0] += 1
            if now - state.window >= .seconds(1) { (state.window, state.answers) = (now, 0) }
            state.answers += 1
            return state.answers <= Self.answersPerSecond
        }
    }

    /// Notes that the host did not let the relay send a ping.
    func noteForbiddenEcho() { state.withLock { $0.hasForbiddenEchoes = true } }

    /// What the user should know.
    var notes: [String] {
        let echoes = state.withLock(\.hasForbiddenEchoes) ? Self.forbiddenEchoes : nil
        return [packetNote, echoes].compactMap(\.self)
    }

    private static let forbiddenEchoes =
        "this host lets ordinary users send no pings, so those of the command went nowhere; allow "
        + "them with: sudo sysctl net.ipv4.ping_group_range='0 2147483647'"

    private var packetNote: String? {
        let packets = state.withLock(\.packets)
        guard !packets.isEmpty else { return nil }
        let list = packets.sorted { $0.key < $1.key }.map { number, count in
            let name = Self.names[number] ?? "IP protocol \(number)"
            return "\(name) (\(count) packet\(count == 1 ? "" : "s"))"
        }
        return "the uplink carries TCP, UDP and ping, and not what the command has sent: "
            + list.joined(separator: ", ") + "; it was told so by ICMP"
    }

    /// Names of protocols that people use (IANA).
    private static let names: [UInt8: String] = [
        4: "IPIP", 33: "DCCP", 41: "IPv6 in IPv4", 46: "RSVP", 47: "GRE", 50: "ESP (IPsec)",
        51: "AH (IPsec)", 89: "OSPF", 103: "PIM", 108: "IPComp", 112: "VRRP", 115: "L2TP",
        132: "SCTP", 136: "UDP-Lite", 137: "MPLS",
    ]
}

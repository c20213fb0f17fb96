import LinuxKernel
import LinkModel

/// Determines the direction of packets that a host sends to itself.
///
/// On a loopback both ends of a connection are in the same place, so only the packet itself shows
/// which end is the client and which the server. Packets from client to server go up, replies go
/// down. Each packet is judged on its own, without connection state:
///
/// 1. The server is the end with a port below 32,768: the kernel gives clients ports above it.
/// 2. If that holds for both or neither, then with TCP the server is the end with the odd port: the
///    kernel gives even ports to sockets that connect, while there are any, and odd ones to those
///    that bind without naming a port (`inet_csk_find_open_port`).
/// 3. Otherwise the server is the end with the lower port; with equal ports, both are clients.
///
/// Echo replies and ICMP's other replies and errors go down. Fragments go where the first one of
/// their packet went. All other packets go up.
struct LoopbackTraffic {
    /// Identifies a packet that was sent in fragments.
    private struct FragmentedPacket: Hashable {
        var flow: UInt32
        var identification: UInt32
    }

    /// Fragments of a packet follow each other closely: the kernel sends them together.
    private static let memory = 64
    private var fragmented: [(packet: FragmentedPacket, direction: Direction)] = []
    private var next = 0

    /// The first port of the kernel's default ephemeral range (`net.ipv4.ip_local_port_range`).
    private static let firstEphemeralPort: UInt16 = 32_768

    /// The direction of the packet in this Ethernet frame.
    mutating func direction(_ headers: FrameHeaders, _ frame: Span<UInt8>) -> Direction {
        let packet = Self.fragmentedPacket(headers, frame)
        guard let transport = headers.transport else {
            return packet.flatMap(recall) ?? .up
        }
        let direction = Self.direction(headers, frame, transport: transport)
        if let packet { remember(packet, direction) }
        return direction
    }

    private static func direction(
        _ headers: FrameHeaders, _ frame: Span<UInt8>, transport: Int
    ) -> Direction {
        switch (headers.transportProtocol, headers.version) {
        case (FrameHeaders.tcp, _):
            return direction(
                from: frame.word(at: transport), to: frame.word(at: transport + 2), isTCP: true)
        // UDP, DCCP, SCTP and UDP-Lite have their ports at the same offset.
        case (FrameHeaders.udp, _), (33, _), (132, _), (136, _):
            return direction(
                from: frame.word(at: transport), to: frame.word(at: transport + 2), isTCP: false)
        case (1, 4):
            return isAnswer(icmp: frame[transport]) ? .down : .up
        case (58, 6):
            // Errors (RFC 4443, section 2.1) and the echo reply.
            return frame[transport] < 128 || frame[transport] == 129 ? .down : .up
        default:
            return .up
        }
    }

    /// The direction of a packet between these ports.
    static func direction(from source: UInt16, to target: UInt16, isTCP: Bool) -> Direction {
        func traitsOfClient(_ port: UInt16) -> (Int, Int, UInt16) {
            let isEphemeral = port >= firstEphemeralPort
            let isOfConnect = isTCP && port.isMultiple(of: 2)
            return (isEphemeral ? 1 : 0, isOfConnect ? 1 : 0, port)
        }
        return traitsOfClient(source) < traitsOfClient(target) ? .down : .up
    }

    /// Echo replies, replies to timestamp, information and address mask requests, and errors (RFC
    /// 792).
    private static func isAnswer(icmp type: UInt8) -> Bool {
        [0, 3, 4, 5, 11, 12, 14, 16, 18].contains(type)
    }

    private static func fragmentedPacket(
        _ headers: FrameHeaders, _ frame: Span<UInt8>
    ) -> FragmentedPacket? {
        let header = headers.network
        switch headers.version {
        case 4 where headers.length >= 20 && frame.word(at: header + 6) & 0x3fff != 0:
            return FragmentedPacket(
                flow: headers.flow, identification: UInt32(frame.word(at: header + 4)))
        // The kernel puts the fragment header directly after the first one, if the packet has no
        // options.
        case 6 where headers.length >= 48 && frame[header + 6] == 44:
            return FragmentedPacket(
                flow: headers.flow, identification: frame.long(at: header + 44))
        default:
            return nil
        }
    }

    private func recall(_ packet: FragmentedPacket) -> Direction? {
        fragmented.first { $0.packet == packet }?.direction
    }

    private mutating func remember(_ packet: FragmentedPacket, _ direction: Direction) {
        if fragmented.count < Self.memory {
            fragmented.append((packet, direction))
        } else {
            fragmented[next] = (packet, direction)
        }
        next = (next + 1) % Self.memory
    }
}

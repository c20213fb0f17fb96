import LinuxKernel

/// The header fields of an Ethernet frame that decide how the link treats it.
///
/// Frames are untrusted: one with short, absurd or unknown headers is parsed as far as possible.
public struct FrameHeaders: Sendable, Hashable {
    /// Where the IP header begins: after the Ethernet header and VLAN tags.
    public internal(set) var network = 14
    /// 4 or 6, or zero if it is not IP.
    public internal(set) var version: UInt8 = 0
    /// The length of the IP packet, or otherwise of the frame's payload, without padding.
    public internal(set) var length = 0
    /// The transport protocol number; zero if unknown.
    public internal(set) var transportProtocol: UInt8 = 0
    /// Where the transport header begins, if this frame has it.
    public internal(set) var transport: Int?
    /// Equal for packets with the same addresses, protocol and ports.
    public internal(set) var flow: UInt32 = 0
    /// Whether its destination port is 53 of TCP or UDP.
    public internal(set) var isToDNS = false
    /// Whether it always passes the link at once: not IP (such as ARP), or neighbour discovery.
    public internal(set) var isExempt = false
    /// Whether its sender opens a connection, sends data or asks for an echo. False for a mere
    /// acknowledgement, the end of a connection, or messages for routers.
    public internal(set) var isRequest = false
    /// What a TCP segment with a payload acknowledges; nil for others.
    var acknowledged: UInt32?

    /// Whether its sender accepts a mark instead of a drop (ECN, RFC 3168, section 5): ECT(0),
    /// ECT(1), or already marked.
    public internal(set) var canBeMarked = false

    static let tcp: UInt8 = 6
    static let udp: UInt8 = 17
    private static let icmp: UInt8 = 1
    private static let igmp: UInt8 = 2
    private static let icmpV6: UInt8 = 58

    /// Parses the headers of a frame, whose end may be missing.
    public init(_ frame: Span<UInt8>) {
        guard frame.count >= 14 else {
            isExempt = true
            (network, length) = (frame.count, 0)
            return
        }
        let type = readEtherType(frame)
        length = frame.count - network
        switch type {
        case 0x0800: readIPv4(frame)
        case 0x86dd: readIPv6(frame)
        default: isExempt = true
        }
    }

    /// Parses an IP packet without a link-layer header, whose end may be missing.
    public init(packet: Span<UInt8>) {
        (network, length) = (0, packet.count)
        switch packet.isEmpty ? 0 : packet[0] >> 4 {
        case 4: readIPv4(packet)
        case 6: readIPv6(packet)
        default: isExempt = true
        }
    }

    private mutating func readEtherType(_ frame: Span<UInt8>) -> UInt16 {
        var type = frame.word(at: 12)
        while type == 0x8100 || type == 0x88a8, network + 4 <= frame.count, network <= 18 {
            type = frame.word(at: network + 2)
            network += 4
        }
        return type
    }

    private mutating func readIPv4(_ frame: Span<UInt8>) {
        version = 4
        guard length >= 20, frame[network] >> 4 == 4 else { return }
        let headerLength = Int(frame[network] & 0xf) * 4
        trim(to: Int(frame.word(at: network + 2)), atLeast: headerLength)
        guard headerLength >= 20, headerLength <= length else { return }
        transportProtocol = frame[network + 9]
        canBeMarked = frame[network + 1] & 0x3 != 0
        let fragment = frame.word(at: network + 6)
        readTransport(
            frame, at: network + headerLength, addresses: network + 12..<network + 20,
            isFragment: fragment & 0x3fff != 0, hasPorts: fragment & 0x1fff == 0)
    }

    private mutating func readIPv6(_ frame: Span<UInt8>) {
        version = 6
        guard length >= 40, frame[network] >> 4 == 6 else { return }
        trim(to: Int(frame.word(at: network + 4)) + 40, atLeast: 41)
        canBeMarked = frame[network + 1] & 0x30 != 0
        var next = frame[network + 6]
        var offset = network + 40
        var isFragment = false
        var hasPorts = true
        let end = network + length
        // No legitimate packet has more extension headers.
        walk: for _ in 0..<8 {
            guard offset + 8 <= end else { break }
            switch next {
            case 0, 43, 60, 135:
                (next, offset) = (frame[offset], offset + (Int(frame[offset + 1]) + 1) * 8)
            case 51:
                (next, offset) = (frame[offset], offset + (Int(frame[offset + 1]) + 2) * 4)
            case 44:
                isFragment = true
                hasPorts = hasPorts && frame.word(at: offset + 2) & 0xfff8 == 0
                (next, offset) = (frame[offset], offset + 8)
            default:
                break walk
            }
        }
        transportProtocol = next
        readTransport(
            frame, at: offset, addresses: network + 8..<network + 40, isFragment: isFragment,
            hasPorts: hasPorts)
    }

    /// Removes padding after the packet, if its announced length is plausible.
    private mutating func trim(to announced: Int, atLeast minimum: Int) {
        if announced >= minimum && announced < length { length = announced }
    }

    private mutating func readTransport(
        _ frame: Span<UInt8>, at offset: Int, addresses: Range<Int>, isFragment: Bool,
        hasPorts: Bool
    ) {
        var hash = FlowHash()
        hash.mix(UInt32(transportProtocol))
        for position in stride(from: addresses.lowerBound, to: addresses.upperBound, by: 4) {
            hash.mix(frame.long(at: position))
        }
        defer { flow = hash.value }
        guard hasPorts, offset + 4 <= network + length else { return }
        transport = offset
        switch transportProtocol {
        case Self.tcp, Self.udp:
            // All fragments of a packet belong to one flow, and only the first has the ports.
            if !isFragment { hash.mix(frame.long(at: offset)) }
            isToDNS = frame.word(at: offset + 2) == 53
            if transportProtocol == Self.tcp { readTCP(frame, offset) } else { isRequest = true }
        case Self.icmp:
            isRequest = frame[offset] == 8
        case Self.icmpV6:
            // Neighbour discovery: a lossy link should not look like an absent neighbour. Multicast
            // listener discovery (130 to 132, 143) comes at arbitrary times, and would change which
            // packets the same seed loses.
            let type = frame[offset]
            isExempt = version == 6 && ((130...137).contains(type) || type == 143)
            isRequest = type == 128
        case Self.igmp: break
        default: isRequest = true
        }
    }

    private mutating func readTCP(_ frame: Span<UInt8>, _ offset: Int) {
        guard offset + 14 <= network + length else { return }
        let flags = frame[offset + 13]
        let opens = flags & 0x12 == 0x02  // SYN without ACK.
        let payload = offset + Int(frame[offset + 12] >> 4) * 4
        let hasPayload = payload < network + length
        isRequest = opens || hasPayload
        if hasPayload, !opens { acknowledged = frame.long(at: offset + 8) }
    }
}

/// A hash that is the same in every run and on every machine.
private struct FlowHash {
    private var state: UInt64 = 0x9e37_79b9_7f4a_7c15

    mutating func mix(_ number: UInt32) {
        // The step of SplitMix64 (Steele, Lea, Flood 2014).
        state = (state ^ UInt64(number)) &* 0xbf58_476d_1ce4_e5b9
        state ^= state >> 31
    }

    var value: UInt32 { UInt32(truncatingIfNeeded: state >> 32) }
}

package import LinkModel
import LinkUnits
import LinuxKernel
import PacketLoop

/// What an Enhanced Packet Block (4.3) holds.
package struct FoundPacket {
    /// The packet, if it is TCP or UDP.
    package private(set) var packet: CapturedPacket?
    /// Whether a comment says what the link did to it.
    private(set) var hasFate = false
    private(set) var unknownLinkType: UInt16?

    /// - Parameters:
    ///   - body: The block without its type and lengths, at least 20 bytes.
    ///   - number: The packet's number in the file.
    init(
        _ body: Span<UInt8>, _ number: Int, _ order: ByteOrder, _ interfaces: [CaptureInterface]
    ) {
        let index = Int(order.long(body, at: 0))
        let captured = Int(order.long(body, at: 12))
        guard interfaces.indices.contains(index), captured <= body.count - 20 else { return }
        let interface = interfaces[index]
        let content = body.extracting(20..<20 + captured)
        var fate: PacketFate?
        var seen = interface.linkType.flatMap { Self.direction(content, $0) }
        var linkNumber: UInt64?
        let options = min(20 + (captured + 3) / 4 * 4, body.count)
        order.forEachOption(body, from: options) { code, value in
            if code == 5, value.count == 8 { linkNumber = order.wide(value, at: 0) }
            if code == 1, fate == nil { fate = PacketFate(value) }
            // Inbound (1) or outbound (2), as the app sees it.
            if code == 2, value.count == 4, seen == nil {
                switch order.long(value, at: 0) & 0x3 {
                case 1: seen = .down
                case 2: seen = .up
                default: break
                }
            }
        }
        hasFate = fate != nil
        guard let linkType = interface.linkType else {
            unknownLinkType = interface.linkTypeNumber
            return
        }
        let frame = content.extracting(
            droppingFirst: min(linkType.cookedBytes, content.count))
        let headers = Self.headers(frame, linkType)
        var whole = fate ?? PacketFate()
        if whole.transmission == nil, whole.drop == nil {
            Self.estimate(&whole, length: headers.length, interface)
        }
        packet = Self.packet(
            headers, frame,
            CapturedHead(
                number: number, direction: interface.direction, seen: seen,
                sent: interface.time(order.time(body, at: 4)), fate: whole,
                linkNumber: linkNumber, missing: Int(order.long(body, at: 16)) - captured))
    }

    /// - Parameters:
    ///   - frame: As it was captured, with nothing said of it.
    ///   - number: The packet's number in the file.
    ///   - missing: How many bytes at its end were not captured.
    init(
        frame: Span<UInt8>, _ number: Int, at time: Duration, missing: Int,
        _ interface: CaptureInterface
    ) {
        guard let linkType = interface.linkType else {
            unknownLinkType = interface.linkTypeNumber
            return
        }
        let inner = frame.extracting(droppingFirst: min(linkType.cookedBytes, frame.count))
        packet = Self.packet(
            Self.headers(inner, linkType), inner,
            CapturedHead(
                number: number, direction: nil, seen: Self.direction(frame, linkType), sent: time,
                fate: PacketFate(), linkNumber: nil, missing: max(0, missing)))
    }

    /// An Ethernet frame that was just captured.
    ///
    /// - Parameter direction: Its way, as its captor knows.
    package init(
        ethernet frame: Span<UInt8>, _ direction: Direction?, at time: Duration, missing: Int
    ) {
        let headers = FrameHeaders(frame)
        packet = Self.packet(
            headers, frame,
            CapturedHead(
                number: 0, direction: direction, seen: nil, sent: time, fate: PacketFate(),
                linkNumber: nil, missing: max(0, missing)))
    }

    /// The headers of a frame, from which its cooked header was taken.
    private static func headers(
        _ frame: Span<UInt8>, _ linkType: CaptureInterface.LinkType
    ) -> FrameHeaders {
        if case .ethernet = linkType { return FrameHeaders(frame) }
        return FrameHeaders(packet: frame)
    }

    /// Which way a cooked packet went; nil if the capture does not say.
    private static func direction(
        _ frame: Span<UInt8>, _ linkType: CaptureInterface.LinkType
    ) -> Direction? {
        let count = linkType.cookedBytes
        guard count > 0, frame.count >= count else { return nil }
        // PACKET_OUTGOING is 4, below are those that came.
        let type = count == 16 ? frame.word(at: 0) : UInt16(frame[10])
        return type == 4 ? .up : type < 4 ? .down : nil
    }

    /// The parts of a packet that do not come from its bytes.
    private struct CapturedHead {
        var number: Int
        /// As the interface has only one, or the captor knows it.
        var direction: Direction?
        /// As the host saw it, to which a packet of its own to itself comes in alone.
        var seen: Direction?
        var sent: Duration
        var fate: PacketFate
        var linkNumber: UInt64?
        /// Bytes that were not captured.
        var missing: Int
    }

    /// Splits the time on the link by the conditions of its interface, for captures that do not say
    /// more.
    private static func estimate(
        _ fate: inout PacketFate, length: Int, _ interface: CaptureInterface
    ) {
        let conditions = interface.conditions
        guard let bandwidth = conditions.bandwidth else { return }
        let transmission = min(
            fate.delay, bandwidth.serializationDelay(of: ByteCount(bytes: UInt64(length))))
        fate.transmission = transmission
        fate.queueing = max(.zero, fate.delay - transmission - conditions.delay)
    }

    private static func packet(
        _ headers: FrameHeaders, _ frame: Span<UInt8>, _ head: CapturedHead
    ) -> CapturedPacket? {
        guard headers.version != 0, let transport = headers.transport else { return nil }
        let isIPv4 = headers.version == 4
        let addresses = headers.network + (isIPv4 ? 12 : 8)
        let size = isIPv4 ? 4 : 16
        let end = min(frame.count, headers.network + headers.length)
        guard addresses + 2 * size <= frame.count, transport + 8 <= end else { return nil }
        let segment = frame.extracting(transport..<end)
        let kind: CapturedPacket.Transport
        let start: Int
        switch headers.transportProtocol {
        case 6:
            guard let header = TCPHeader(segment) else { return nil }
            (kind, start) = (.tcp(header), header.length)
        case 17: (kind, start) = (.udp, 8)
        default: return nil
        }
        var payload: [UInt8] = []
        let kept = min(segment.count - start, CapturedPacket.keptPayload)
        payload.reserveCapacity(kept)
        for offset in start..<start + kept { payload.append(segment[offset]) }
        let source = SocketName(
            address: Self.address(frame, addresses, isIPv4), port: segment.word(at: 0))
        let destination = SocketName(
            address: Self.address(frame, addresses + size, isIPv4), port: segment.word(at: 2))
        let seen = CapturedPacket.staysOnHost(source, destination) ? nil : head.seen
        return CapturedPacket(
            number: head.number, linkNumber: head.linkNumber, direction: head.direction ?? seen,
            sent: head.sent, fate: head.fate, source: source, destination: destination,
            transport: kind, payloadLength: segment.count - start + max(0, head.missing),
            payload: payload)
    }

    private static func address(
        _ frame: Span<UInt8>, _ offset: Int, _ isIPv4: Bool
    ) -> IPAddress {
        guard !isIPv4 else { return IPAddress(ipv4: frame.long(at: offset)) }
        func half(_ offset: Int) -> UInt64 {
            UInt64(frame.long(at: offset)) << 32 | UInt64(frame.long(at: offset + 4))
        }
        return IPAddress(ipv6High: half(offset), low: half(offset + 8))
    }
}

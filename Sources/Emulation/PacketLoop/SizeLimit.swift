import LinkModel
import LinuxKernel

/// What happens to a packet that exceeds the link's MTU, as a router in front of the link decides.
enum OversizedPacket: Hashable {
    /// It is fragmented.
    case cut([[UInt8]])
    /// It is dropped. The sender gets the answer, an ICMP error; nil if there is none.
    case dropped(answer: [UInt8]?)

    /// - Parameters:
    ///   - packet: the bytes from its IP header on.
    ///   - headers: those of its frame.
    init(_ packet: [UInt8], _ headers: FrameHeaders, _ mtu: LinkMTU) {
        // Routers fragment only IPv4, unless the sender forbids it (RFC 791, section 2.3).
        if headers.version == 4, packet[0] >> 4 == 4, packet[6] & 0x40 == 0 {
            self = .cut(IPPacket.fragments(of: packet, mtu: mtu.bytes))
        } else {
            self = .dropped(
                answer: mtu.icmp == .silent ? nil : Self.answer(to: packet, headers, mtu))
        }
    }

    /// "Fragmentation needed" (RFC 1191), or "packet too big" (RFC 4443, section 3.2).
    ///
    /// The link has no address of its own, so the answer comes from the packet's destination. There
    /// is no answer in the cases that RFC 1122, section 3.2.2, and RFC 4443, section 2.4(e),
    /// exclude.
    private static func answer(
        to packet: [UInt8], _ headers: FrameHeaders, _ mtu: LinkMTU
    ) -> [UInt8]? {
        let isIPv6 = headers.version == 6
        // Only the first fragment has a transport header.
        guard let transport = headers.transport.map({ packet[$0 - headers.network] }),
            let source = IPAddress(bytes: isIPv6 ? packet[8..<24] : packet[12..<16]),
            let target = IPAddress(bytes: isIPv6 ? packet[24..<40] : packet[16..<20]),
            source.isOfOneHost, target.isOfOneHost
        else { return nil }
        switch headers.transportProtocol {
        case IPProtocol.icmp where !isIPv6 && [3, 4, 5, 11, 12].contains(transport): return nil
        case IPProtocol.icmpv6 where isIPv6 && transport < 128: return nil
        default: break
        }
        return IPPacket.error(
            type: isIPv6 ? 2 : 3, code: isIPv6 ? 0 : 4, parameter: UInt32(mtu.bytes),
            quoting: packet, from: target, to: source)
    }
}

extension IPAddress {
    /// Whether it is neither unspecified nor a multicast address.
    fileprivate var isOfOneHost: Bool {
        isIPv6 ? (high, low) != (0, 0) && high >> 56 != 0xff : (1..<224).contains(low >> 24)
    }
}

/// Sends the answers to the packets of a direction back to their source.
struct WayBack: ~Copyable {
    private let path: LoopPath
    /// Created with the first answer, since most links never need one.
    private var outbox: Outbox?

    init(_ path: LoopPath) {
        self.path = path
    }

    /// Sends a frame. If it returns false, the caller keeps the frame, which must leave like any
    /// other.
    mutating func send(
        _ id: FrameStore.ID, _ clock: LoopClock, _ store: inout FrameStore,
        _ statistics: DirectionStatistics
    ) -> Bool {
        do throws(KernelError) {
            guard try open() else { return false }
        } catch {
            store.release(id)
            return true
        }
        guard outbox?.hasRoom == true else {
            store.release(id)
            return true
        }
        // Answers do not count in the statistics of the link.
        var uncounted = statistics
        outbox?.add(id, due: nil, &store, &uncounted)
        outbox?.flush(clock, &store, &uncounted)
        return true
    }

    private mutating func open() throws(KernelError) -> Bool {
        guard outbox == nil else { return true }
        switch path {
        case .wire(let source, _):
            outbox = try Outbox(MarkedOutput(interface: source, mark: 0, bypassesQdisc: true))
        case .redirect(_, let exit, _):
            // The kernel knows whether the sender is this host or beyond an interface.
            outbox = try Outbox(loopbackMark: exit.mark)
        case .loopback, .loopbackRedirect: return false
        }
        return true
    }
}

/// Packets as plain bytes.
extension FrameStore {
    /// The link-layer header of one packet, and the packet with its checksum finished; nil if the
    /// store is full.
    mutating func bytes(of ticket: Ticket) -> (link: [UInt8], packet: [UInt8])? {
        guard let copy = copy(of: ticket) else { return nil }
        let (network, length) = (self[copy].network, self[copy].length)
        memory.withMutableBytes(in: self[copy].range) { bytes in
            finishChecksum(in: &bytes, end: VirtualHeader.count + network + length)
        }
        let bytes = withFrame(copy) { _, frame in (0..<network + length).map { frame[$0] } }
        release(copy)
        return (Array(bytes[..<network]), Array(bytes[network...]))
    }

    /// A slot with a packet after the link-layer header `link`; nil if the store is full.
    ///
    /// - Parameter virtual: what is still to be done to it.
    mutating func frame(
        _ link: [UInt8], _ packet: [UInt8], virtual: VirtualHeader = VirtualHeader()
    ) -> ID? {
        var bytes = [UInt8](repeating: 0, count: VirtualHeader.count) + link + packet
        var span = bytes.mutableSpan
        virtual.write(to: &span)
        if link.count >= 14, let first = packet.first, [4, 6].contains(first >> 4) {
            // It may be of another family than what the header belonged to.
            bytes.set(first >> 4 == 6 ? 0x86dd : 0x0800, at: VirtualHeader.count + link.count - 2)
        }
        guard let id = take(.fitting(bytes.count)) else { return nil }
        setCount(bytes.count, of: id)
        memory.copy(bytes.span, to: self[id].range.lowerBound)
        (self[id].network, self[id].length, self[id].number) = (link.count, packet.count, nil)
        return id
    }

    /// A slot with the answer to a frame whose link-layer header is `link`; nil if there is to be
    /// none.
    mutating func frame(
        answering link: [UInt8], _ packet: [UInt8], virtual: VirtualHeader = VirtualHeader()
    ) -> ID? {
        guard link.count >= 12 else { return frame(link, packet, virtual: virtual) }
        // Frames to a group address get no answer.
        guard link[0] & 1 == 0 else { return nil }
        return frame(
            Array(link[6..<12] + link[..<6] + link[12...]), packet, virtual: virtual)
    }
}

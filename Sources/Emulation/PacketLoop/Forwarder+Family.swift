import LinkModel
import LinuxKernel
import Middleboxes
import PacketEngine

/// Packets that get another family in the middle of the link.
extension Forwarder {
    /// Lets the parts of a frame enter the link one by one if it is too long for the app's side once it
    /// has the longer header of IPv6, and may be cut; then the result is true.
    mutating func isTakenApart(_ id: FrameStore.ID, _ fields: PacketFields) -> Bool {
        let fragmentHeader = 8
        let limit = max(1280, min(mtu?.bytes ?? HeaderChange.mtu, HeaderChange.mtu))
        let added = HeaderChange.headerDifference + (fields.fragment == nil ? 0 : fragmentHeader)
        let superFrame = store.withFrame(id) { virtual, frame in
            SuperFrame(virtual, FrameHeaders(frame), frame)
        }
        guard (superFrame?.length(of: 0) ?? store[id].length) + added > limit else { return false }
        if let superFrame {
            store[id].superFrame = superFrame
            for segment in 0..<superFrame.count {
                if let copy = store.copy(of: Ticket(frame: id, segment: segment)) {
                    enter(copy)
                } else {
                    statistics.memoryDrops += 1
                }
            }
            store.release(id)
            return true
        }
        // It says itself whether it may be cut.
        guard let (link, packet) = store.bytes(of: Ticket(frame: id)), packet[6] & 0x40 == 0 else {
            return false
        }
        let parts = IPPacket.fragments(
            of: packet, mtu: limit - HeaderChange.headerDifference - fragmentHeader)
        guard parts.count > 1 else { return false }
        for part in parts {
            if let part = store.frame(link, part) {
                enter(part)
            } else {
                statistics.memoryDrops += 1
            }
        }
        store.release(id)
        return true
    }

    /// The MTU for a frame whose packets are longer now. The app's interface has that of Ethernet, which the
    /// packets of a super-packet do not exceed unless it is split.
    func limitOfLongerPackets(_ id: FrameStore.ID, _ superFrame: SuperFrame?) -> LinkMTU? {
        if let mtu, mtu.bytes <= HeaderChange.mtu { return mtu }
        let isSingle = store.withFrame(id) { virtual, _ in
            virtual.segmentation == VirtualHeader.Segmentation.none
        }
        return isSingle || superFrame != nil ? LinkMTU(bytes: HeaderChange.mtu) : nil
    }

    /// Asks a name server by a packet that comes from the middle, in the place of its answer.
    mutating func ask(_ question: [UInt8], inPlaceOf id: FrameStore.ID) {
        defer { store.release(id) }
        guard let (link, _) = store.bytes(of: Ticket(frame: id)),
            let packet = store.frame(answering: link, question)
        else { return }
        store[packet].arrival = time
        if !wayBack.send(packet, clock, &store, statistics) { store.release(packet) }
    }

    /// The frame with an ICMP error of the link as the network is to get it, in the place of `shown`.
    ///
    /// - Parameters:
    ///   - link: the link-layer header of the frame that the error is about.
    ///   - error: the packet in `shown`.
    mutating func outside(
        _ shown: FrameStore.ID, _ link: [UInt8], _ error: [UInt8]
    ) -> FrameStore.ID {
        guard direction == .down, middle.isActive, let fields = PacketFields(error.span),
            let changed = middle.change(ofError: fields, at: time)?.applied(to: error),
            let id = store.frame(answering: link, changed)
        else { return shown }
        store[id].arrival = time
        store.release(shown)
        return id
    }

    /// Whether a frame stays on the link as it is while a copy of it leaves with another header.
    func isKept(_ ticket: Ticket, _ event: PacketEvent) -> Bool {
        !event.releasesSlot && ticket.segment == nil && store.changesFamily(ticket.frame)
    }
}

extension FrameStore {
    /// Whether a frame has a packet of IPv6.
    func isIPv6(_ id: ID) -> Bool {
        let network = self[id].network
        return withFrame(id) { _, frame in
            network < frame.count && frame[network] >> 4 == 6
        }
    }
}

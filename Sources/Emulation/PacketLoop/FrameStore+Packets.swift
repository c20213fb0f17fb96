import LinuxKernel
import Middleboxes

/// Extracts single packets from frames.
extension FrameStore {
    /// The length of a packet, from its IP header on.
    func length(of ticket: Ticket) -> Int {
        let frame = self[ticket.frame]
        guard let segment = ticket.segment, let superFrame = frame.superFrame else {
            return frame.length
        }
        return superFrame.length(of: segment)
    }

    /// A slot with the `virtio_net_hdr` and the headers of a run of packets; nil if the store is
    /// full.
    mutating func headers(
        of run: Range<Int>, of id: ID, _ superFrame: SuperFrame
    ) -> ID? {
        guard let target = take(.small) else { return nil }
        writeHeaders(of: run, of: id, superFrame, to: target)
        copyChange(of: id, to: target)
        return target
    }

    /// A slot with a copy of one packet, with its checksum finished and then a bit flipped; nil if
    /// the store is full.
    ///
    /// On a wire the checksum is finished before the packet can be damaged, so the receiver detects
    /// it.
    ///
    /// - Parameter bit: counted from the first bit of the IP packet.
    mutating func corruptedCopy(of ticket: Ticket, bit: UInt64) -> ID? {
        guard let copy = copy(of: ticket) else { return nil }
        let length = self[copy].length
        let network = VirtualHeader.count + self[copy].network
        memory.withMutableBytes(in: self[copy].range) { bytes in
            finishChecksum(in: &bytes, end: network + length)
            guard length > 0 else { return }
            let bit = Int(bit % UInt64(length * 8))
            bytes[network + bit / 8] ^= 0x80 >> UInt8(bit % 8)
        }
        return copy
    }

    /// A slot with a copy of one packet; nil if the store is full.
    mutating func copy(of ticket: Ticket) -> ID? {
        let source = self[ticket.frame]
        guard let segment = ticket.segment, let superFrame = source.superFrame else {
            guard let target = take(source.size) else { return nil }
            memory.copy(source.range, to: room(of: target).lowerBound)
            setCount(source.count, of: target)
            (self[target].network, self[target].length) = (source.network, source.length)
            self[target].arrival = source.arrival
            copyChange(of: ticket.frame, to: target)
            return target
        }
        let headerEnd = VirtualHeader.count + superFrame.headerLength
        let payload = superFrame.payload(of: segment..<segment + 1)
        let count = headerEnd + payload.count
        guard let target = take(SlotSize.fitting(count)) else { return nil }
        writeHeaders(of: segment..<segment + 1, of: ticket.frame, superFrame, to: target)
        let start = source.range.lowerBound + VirtualHeader.count
        memory.copy(
            start + payload.lowerBound..<start + payload.upperBound,
            to: room(of: target).lowerBound + headerEnd)
        setCount(count, of: target)
        self[target].network = superFrame.network
        self[target].length = superFrame.length(of: segment)
        self[target].arrival = source.arrival
        copyChange(of: ticket.frame, to: target)
        return target
    }

    private mutating func writeHeaders(
        of run: Range<Int>, of id: ID, _ superFrame: SuperFrame, to target: ID
    ) {
        let count = VirtualHeader.count + superFrame.headerLength
        let start = self[id].range.lowerBound
        memory.copy(start..<start + count, to: room(of: target).lowerBound)
        setCount(count, of: target)
        memory.withMutableBytes(in: self[target].range) { bytes in
            superFrame.makeHeaders(of: run, in: &bytes)
        }
    }
}

/// New addresses.
extension FrameStore {
    /// Whether a frame is still to get a header of the other family.
    func changesFamily(_ id: ID) -> Bool {
        !changes.isEmpty && changes[id]?.changesFamily == true
    }

    private mutating func copyChange(of id: ID, to target: ID) {
        guard !changes.isEmpty, let change = changes[id] else { return }
        self[target].passage = .passes
        changes[target] = change
    }

    /// Writes the new addresses of a frame, or of a slot with its headers, if it is to have some.
    ///
    /// - Parameter network: where the IP header begins in the frame.
    mutating func writeChange(to id: ID, network: Int) {
        guard !changes.isEmpty, let change = changes.removeValue(forKey: id) else { return }
        write(change, to: id, network: network)
    }

    /// Writes new addresses; false if the frame has no translation to the other family.
    @discardableResult
    mutating func write(_ change: HeaderChange, to id: ID, network: Int) -> Bool {
        if change.changesFamily { return changeFamily(change, of: id, network: network) }
        memory.withMutableBytes(in: self[id].range) { bytes in
            let isUnfinished = VirtualHeader(bytes.span).isChecksumPartial
            change.apply(to: &bytes, at: VirtualHeader.count + network, isUnfinished: isUnfinished)
        }
        return true
    }

    /// Finishes the checksum of a packet within a single packet, as in a tunnel.
    ///
    /// The kernel no longer knows that it is one, and some network cards would finish the outer packet's.
    mutating func finishInnerChecksum(of id: ID, _ headers: FrameHeaders) {
        memory.withMutableBytes(in: self[id].range) { bytes in
            let virtual = VirtualHeader(bytes.span)
            guard virtual.isChecksumPartial, headers.version != 0,
                headers.transport != Int(virtual.checksumStart)
            else { return }
            finishChecksum(
                in: &bytes, end: VirtualHeader.count + headers.network + headers.length)
        }
    }
}

/// Finishes a single packet's checksum as the `virtio_net_hdr` asks a network card to do.
///
/// - Parameters:
///   - end: where the packet ends, which may be before the end of the frame.
///   - rest: the checksum of packet bytes that are elsewhere.
func finishChecksum(in bytes: inout MutableSpan<UInt8>, end: Int, rest: UInt16 = 0) {
    var virtual = VirtualHeader(bytes.span)
    guard virtual.segmentation == VirtualHeader.Segmentation.none, virtual.isChecksumPartial else {
        return
    }
    let start = VirtualHeader.count + Int(virtual.checksumStart)
    let field = start + Int(virtual.checksumOffset)
    guard field + 2 <= end, end <= bytes.count else { return }
    var sum = InternetChecksum()
    sum.add(bytes.span, in: start..<end)
    sum.add(rest)
    // Zero would mean "no checksum" in UDP (RFC 768); TCP accepts both forms.
    bytes.setWord(sum.complement == 0 ? 0xffff : sum.complement, at: field)
    virtual.isChecksumPartial = false
    (virtual.checksumStart, virtual.checksumOffset, virtual.headerLength) = (0, 0, 0)
    virtual.write(to: &bytes)
}

import LinuxKernel
import Middleboxes

/// Replaces what the kernel does for frames of an interface, for packets sent to the host itself.
extension FrameStore {
    /// Finishes the checksum of a packet, or of a TCP super-packet, which becomes a single packet.
    ///
    /// - Parameters:
    ///   - head: the bytes from the `virtio_net_hdr` on, with all headers.
    ///   - rest: the remaining bytes, elsewhere in the memory.
    mutating func finishPacket(head: Range<Int>, rest: Range<Int>) {
        var payload = InternetChecksum()
        if !rest.isEmpty {
            payload = memory.withBytes(in: rest) { bytes in
                var sum = InternetChecksum()
                sum.add(bytes, in: 0..<bytes.count)
                return sum
            }
        }
        memory.withMutableBytes(in: head) { bytes in
            var virtual = VirtualHeader(bytes.span)
            virtual.segmentation = VirtualHeader.Segmentation.none
            virtual.write(to: &bytes)
            finishChecksum(in: &bytes, end: bytes.count, rest: payload.folded)
        }
    }

    /// Limits both ends of a new TCP connection to segments of Ethernet's size.
    mutating func limitSegmentSize(_ id: ID, _ headers: FrameHeaders) {
        guard headers.transportProtocol == FrameHeaders.tcp, let transport = headers.transport
        else { return }
        memory.withMutableBytes(in: self[id].range) { bytes in
            SegmentSizeOption.limit(
                to: headers.version == 4 ? 1460 : 1440, at: VirtualHeader.count + transport,
                end: VirtualHeader.count + headers.network + headers.length,
                isUnfinished: VirtualHeader(bytes.span).isChecksumPartial, in: &bytes)
        }
    }

    /// Whether a bit of a packet, counted as in `corruptedCopy`, is in its IP header.
    func isInHeader(_ bit: UInt64, _ ticket: Ticket) -> Bool {
        let frame = self[ticket.frame]
        let length = ticket.segment.flatMap { frame.superFrame?.length(of: $0) } ?? frame.length
        guard length > 0 else { return false }
        let isIPv6 = withFrame(ticket.frame) { _, bytes in
            frame.network < bytes.count && bytes[frame.network] >> 4 == 6
        }
        return bit % UInt64(length * 8) < (isIPv6 ? 320 : 160)
    }
}

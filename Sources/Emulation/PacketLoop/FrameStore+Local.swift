import LinuxKernel

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
                end: VirtualHeader.count + headers.network + headers.length, in: &bytes)
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

/// The TCP option for the maximum segment size (RFC 9293, section 3.7.1).
enum SegmentSizeOption {
    /// Lowers it in a packet that opens a connection; never raises it.
    ///
    /// - Parameters:
    ///   - limit: the most payload bytes of a segment.
    ///   - header: where the TCP header begins.
    ///   - end: where the packet ends.
    static func limit(
        to limit: UInt16, at header: Int, end: Int, in bytes: inout MutableSpan<UInt8>
    ) {
        let end = min(end, bytes.count)
        guard header + 20 <= end, bytes[header + 13] & 2 != 0 else { return }
        let optionsEnd = min(header + Int(bytes[header + 12] >> 4) * 4, end)
        var option = header + 20
        while option + 1 < optionsEnd {
            let (kind, length) = (bytes[option], Int(bytes[option + 1]))
            switch kind {
            case 0: return
            case 1: option += 1
            case 2 where length == 4 && option + 4 <= optionsEnd:
                lower(to: limit, at: option + 2, header: header, in: &bytes)
                return
            default:
                guard length >= 2 else { return }
                option += length
            }
        }
    }

    private static func lower(
        to limit: UInt16, at field: Int, header: Int, in bytes: inout MutableSpan<UInt8>
    ) {
        let former = bytes.word(at: field)
        guard former > limit else { return }
        bytes.setWord(limit, at: field)
        // An unfinished checksum covers only the pseudo-header, without this option.
        guard !VirtualHeader(bytes.span).isChecksumPartial else { return }
        var sum = InternetChecksum()
        // RFC 1624, section 3. An option at an odd offset spans two words.
        let isSwapped = !(field - header).isMultiple(of: 2)
        sum.add(~bytes.word(at: header + 16))
        sum.add(isSwapped ? ~former.byteSwapped : ~former)
        sum.add(isSwapped ? limit.byteSwapped : limit)
        bytes.setWord(sum.complement, at: header + 16)
    }
}

import LinuxKernel

/// A frame that holds several packets of one flow, to be split as a network card would do it.
///
/// The kernel calls it a GSO packet: the headers of the first packet, then the payload of all. A
/// run of adjacent packets of it is again such a frame, with its own headers and a part of the
/// payload; so packets that leave together need not be split.
struct SuperFrame: Hashable {
    /// No kernel makes one with more packets.
    static let maximumCount = 4095

    /// Where the IP header begins.
    let network: Int
    /// Where the TCP or UDP header begins.
    let transport: Int
    /// The range of the payload.
    let payload: Range<Int>
    /// The payload bytes in each packet but the last.
    let segmentSize: Int
    let isTCP: Bool

    /// Parses a frame; nil if it is a single packet, or malformed.
    init?(_ virtual: VirtualHeader, _ headers: FrameHeaders, _ frame: Span<UInt8>) {
        guard virtual.segmentation != VirtualHeader.Segmentation.none, virtual.segmentSize > 0,
            virtual.isChecksumPartial, let transport = headers.transport
        else { return nil }
        let end = headers.network + headers.length
        let start: Int
        switch (virtual.segmentation, headers.version, headers.transportProtocol) {
        case (.tcpIPv4, 4, FrameHeaders.tcp), (.tcpIPv6, 6, FrameHeaders.tcp):
            guard transport + 20 <= end, frame[transport + 12] >> 4 >= 5 else { return nil }
            start = transport + Int(frame[transport + 12] >> 4) * 4
            isTCP = true
        case (.udp, _, FrameHeaders.udp):
            start = transport + 8
            isTCP = false
        default:
            return nil
        }
        guard start < end, transport - headers.network < 512 else { return nil }
        network = headers.network
        self.transport = transport
        payload = start..<end
        segmentSize = Int(virtual.segmentSize)
        guard count > 1, count <= Self.maximumCount else { return nil }
    }

    /// How many packets it holds.
    var count: Int { (payload.count + segmentSize - 1) / segmentSize }

    /// The length of the headers with the Ethernet header.
    var headerLength: Int { payload.lowerBound }

    /// The part of the frame with the payload of a run of packets.
    func payload(of run: Range<Int>) -> Range<Int> {
        let start = payload.lowerBound
        return start + run.lowerBound
            * segmentSize..<min(payload.upperBound, start + run.upperBound * segmentSize)
    }

    /// The length of a packet from the IP header on.
    func length(of segment: Int) -> Int {
        headerLength - network + payload(of: segment..<segment + 1).count
    }

    /// Turns the headers of the whole frame into those of a run of its packets.
    ///
    /// - Parameter bytes: the `virtio_net_hdr` and the headers, `headerLength` bytes of frame.
    func makeHeaders(of run: Range<Int>, in bytes: inout MutableSpan<UInt8>) {
        let size = payload(of: run).count
        let base = VirtualHeader.count
        var virtual = VirtualHeader(bytes.span)
        virtual.checksumStart = UInt16(transport)
        virtual.checksumOffset = isTCP ? 16 : 6
        virtual.headerLength = UInt16(headerLength)
        if run.count == 1 {
            virtual.segmentation = VirtualHeader.Segmentation.none
            virtual.segmentSize = 0
        }
        let isCongestionReported = virtual.isCongestionReported
        if run.count == 1 || run.lowerBound > 0 { virtual.isCongestionReported = false }
        virtual.write(to: &bytes)
        if bytes[base + network] >> 4 == 4 {
            makeIPv4Header(of: run, size: size, at: base + network, in: &bytes)
        } else {
            let length = headerLength - network - 40 + size
            bytes.setWord(UInt16(truncatingIfNeeded: length), at: base + network + 4)
        }
        let header = base + transport
        if isTCP {
            let sequence = bytes.long(at: header + 4)
            bytes.setLong(
                sequence &+ UInt32(truncatingIfNeeded: run.lowerBound * segmentSize),
                at: header + 4)
            // FIN and PSH belong to the last packet, and CWR to the first (RFC 3168, section 6.1.2),
            // unless it is a part of the counter that all packets have with AccECN (RFC 9768).
            if run.upperBound < count { bytes[header + 13] &= ~0x09 }
            if run.lowerBound > 0, isCongestionReported { bytes[header + 13] &= ~0x80 }
        }
        let ownHeader = headerLength - transport
        if !isTCP {
            bytes.setWord(UInt16(truncatingIfNeeded: ownHeader + size), at: header + 4)
        }
        // The pseudo-header sum, in which only the length changes (RFC 1624).
        let field = header + Int(virtual.checksumOffset)
        var sum = InternetChecksum()
        sum.add(bytes.word(at: field))
        sum.add(~UInt16(truncatingIfNeeded: ownHeader + payload.count))
        sum.add(UInt16(truncatingIfNeeded: ownHeader + size))
        bytes.setWord(sum.folded, at: field)
    }

    private func makeIPv4Header(
        of run: Range<Int>, size: Int, at header: Int, in bytes: inout MutableSpan<UInt8>
    ) {
        let length = headerLength - network + size
        bytes.setWord(UInt16(truncatingIfNeeded: length), at: header + 2)
        let identification = bytes.word(at: header + 4)
        bytes.setWord(
            identification &+ UInt16(truncatingIfNeeded: run.lowerBound), at: header + 4)
        bytes.setWord(0, at: header + 10)
        var sum = InternetChecksum()
        sum.add(bytes.span, in: header..<header + Int(bytes[header] & 0xf) * 4)
        bytes.setWord(sum.complement, at: header + 10)
    }
}

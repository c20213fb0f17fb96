import LinuxKernel

/// A TCP packet with data that may become a part of a super-packet, as network cards join received
/// packets (GRO).
///
/// Packets join only if splitting the super-packet gives exactly the same packets again.
struct JoinableSegment {
    /// Where the IP header begins in the frame.
    let network: Int
    /// Where the TCP header begins.
    let transport: Int
    /// Where the data is.
    let payload: Range<Int>
    let sequence: UInt32
    /// The number of the packet; nil with IPv6, which has none.
    let identification: UInt16?
    /// Whether nothing can follow it in a super-packet.
    let isPushed: Bool

    private static let acknowledges: UInt8 = 0x10
    private static let pushes: UInt8 = 0x08
    private static let forbidsFragments: UInt16 = 0x4000

    /// Parses a frame; nil if it is no such packet.
    init?(_ virtual: VirtualHeader, _ frame: Span<UInt8>, network: Int) {
        guard virtual.segmentation == VirtualHeader.Segmentation.none, network >= 14,
            network + 40 < frame.count
        else { return nil }
        let end: Int
        switch frame[network] {
        case 0x45:
            // A fragment is none, nor is what may become fragments, whose numbers matter.
            guard frame[network + 9] == FrameHeaders.tcp,
                frame.word(at: network + 6) == Self.forbidsFragments
            else { return nil }
            var sum = InternetChecksum()
            sum.add(frame, in: network..<network + 20)
            guard sum.complement == 0 else { return nil }
            transport = network + 20
            end = network + Int(frame.word(at: network + 2))
            identification = frame.word(at: network + 4)
        case 0x60...0x6f:
            guard frame[network + 6] == FrameHeaders.tcp, network + 60 < frame.count else {
                return nil
            }
            transport = network + 40
            end = transport + Int(frame.word(at: network + 4))
            identification = nil
        default: return nil
        }
        guard transport + 20 <= end, end <= frame.count else { return nil }
        let start = transport + Int(frame[transport + 12] >> 4) * 4
        let flags = frame[transport + 13]
        guard start >= transport + 20, start < end,
            flags & ~Self.pushes == Self.acknowledges
        else { return nil }
        self.network = network
        payload = start..<end
        sequence = frame.long(at: transport + 4)
        isPushed = flags & Self.pushes != 0
    }

    /// Whether the checksum is right, or unfinished and so of nobody's making but the kernel's.
    func isIntact(_ virtual: VirtualHeader, _ frame: Span<UInt8>) -> Bool {
        if virtual.isChecksumPartial {
            return Int(virtual.checksumStart) == transport && virtual.checksumOffset == 16
        }
        if virtual.isChecksumValid { return true }
        var sum = pseudoHeader(frame, length: payload.upperBound - transport)
        sum.add(frame, in: transport..<payload.upperBound)
        return sum.complement == 0
    }

    /// Whether the headers of a packet differ only as those of neighbours in a super-packet do.
    ///
    /// - Parameters:
    ///   - frame: the frame of this packet.
    ///   - distance: how many packets later the other one is.
    ///   - bytes: how many bytes of data later it is.
    func isFollowed(
        _ frame: Span<UInt8>, by other: JoinableSegment, _ otherFrame: Span<UInt8>, distance: Int,
        bytes: Int
    ) -> Bool {
        guard other.network == network, other.payload.lowerBound == payload.lowerBound,
            other.payload.count <= payload.count,
            other.sequence == sequence &+ UInt32(truncatingIfNeeded: bytes),
            other.identification
                == identification.map({ $0 &+ UInt16(truncatingIfNeeded: distance) })
        else { return false }
        func isAlike(_ range: Range<Int>) -> Bool {
            frame.isSame(as: otherFrame, in: range)
        }
        // Not compared: length, number and checksum of the IP header; and of TCP the sequence number, the
        // flags, which are known to be alike, and the checksum.
        let isSamePath =
            identification == nil
            ? isAlike(0..<network + 4) && isAlike(network + 6..<transport)
            : isAlike(0..<network + 2) && isAlike(network + 6..<network + 10)
                && isAlike(network + 12..<transport)
        return isSamePath && isAlike(transport..<transport + 4)
            && isAlike(transport + 8..<transport + 13)
            && isAlike(transport + 14..<transport + 16)
            && isAlike(transport + 18..<payload.lowerBound)
    }

    /// Turns its headers into those of a super-packet.
    ///
    /// - Parameters:
    ///   - length: that of all data.
    ///   - isPushed: whether the last packet is.
    ///   - bytes: the `virtio_net_hdr` and at least the headers.
    func makeSuperFrame(length: Int, isPushed: Bool, in bytes: inout MutableSpan<UInt8>) {
        let isIPv4 = identification != nil
        var virtual = VirtualHeader()
        virtual.isChecksumPartial = true
        virtual.segmentation = isIPv4 ? .tcpIPv4 : .tcpIPv6
        virtual.headerLength = UInt16(payload.lowerBound)
        virtual.segmentSize = UInt16(payload.count)
        virtual.checksumStart = UInt16(transport)
        virtual.checksumOffset = 16
        virtual.write(to: &bytes)
        let (network, transport) = (VirtualHeader.count + network, VirtualHeader.count + transport)
        let ownLength = payload.lowerBound - self.transport + length
        if isIPv4 {
            bytes.setWord(UInt16(20 + ownLength), at: network + 2)
            bytes.setWord(0, at: network + 10)
            var sum = InternetChecksum()
            sum.add(bytes.span, in: network..<network + 20)
            bytes.setWord(sum.complement, at: network + 10)
        } else {
            bytes.setWord(UInt16(ownLength), at: network + 4)
        }
        if isPushed { bytes[transport + 13] |= Self.pushes }
        let sum = pseudoHeader(bytes.span, after: VirtualHeader.count, length: ownLength)
        bytes.setWord(sum.folded, at: transport + 16)
    }

    /// The most data that a super-packet of these headers can have.
    var mostData: Int { 65_535 - (payload.lowerBound - network) }

    /// - Parameter start: where the frame begins.
    private func pseudoHeader(
        _ bytes: Span<UInt8>, after start: Int = 0, length: Int
    ) -> InternetChecksum {
        var sum = InternetChecksum()
        let addresses = network + (identification == nil ? 8 : 12)
        sum.add(bytes, in: start + addresses..<start + transport)
        sum.add(UInt16(FrameHeaders.tcp))
        sum.add(UInt16(length))
        return sum
    }
}

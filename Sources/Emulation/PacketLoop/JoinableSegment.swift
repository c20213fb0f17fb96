import LinuxKernel

/// A TCP packet or UDP datagram with data that may become a part of a super-packet, as network cards
/// join received packets (GRO).
///
/// Packets join only if splitting the super-packet gives exactly the same packets again, but for the
/// numbers of datagrams, which mean nothing where fragments are forbidden (RFC 6864, section 4.1).
struct JoinableSegment {
    /// Where the IP header begins in the frame.
    let network: Int
    /// Where the TCP or UDP header begins.
    let transport: Int
    /// Where the data is.
    let payload: Range<Int>
    /// Nil if it is a UDP datagram.
    let tcp: TCP?
    /// The number of an IPv4 packet; nil with IPv6, which has none.
    let identification: UInt16?

    /// What the headers of neighbours in a TCP connection need not have in common.
    struct TCP {
        let sequence: UInt32
        /// Whether nothing can follow it in a super-packet.
        let isPushed: Bool
    }

    private static let acknowledges: UInt8 = 0x10
    private static let pushes: UInt8 = 0x08
    private static let forbidsFragments: UInt16 = 0x4000

    /// Parses a frame; nil if it is no such packet.
    init?(_ virtual: VirtualHeader, _ frame: Span<UInt8>, network: Int) {
        guard virtual.segmentation == VirtualHeader.Segmentation.none, network >= 14,
            network + 28 < frame.count
        else { return nil }
        let end: Int
        let transportProtocol: UInt8
        switch frame[network] {
        case 0x45:
            // A fragment is none.
            guard frame.word(at: network + 6) & ~Self.forbidsFragments == 0 else { return nil }
            var sum = InternetChecksum()
            sum.add(frame, in: network..<network + 20)
            guard sum.complement == 0 else { return nil }
            transportProtocol = frame[network + 9]
            transport = network + 20
            end = network + Int(frame.word(at: network + 2))
            identification = frame.word(at: network + 4)
        case 0x60...0x6f:
            guard network + 48 < frame.count else { return nil }
            transportProtocol = frame[network + 6]
            transport = network + 40
            end = transport + Int(frame.word(at: network + 4))
            identification = nil
        default: return nil
        }
        guard end <= frame.count else { return nil }
        let start: Int
        switch transportProtocol {
        case FrameHeaders.tcp:
            guard transport + 20 <= end else { return nil }
            start = transport + Int(frame[transport + 12] >> 4) * 4
            let flags = frame[transport + 13]
            guard start >= transport + 20, flags & ~Self.pushes == Self.acknowledges else {
                return nil
            }
            tcp = TCP(
                sequence: frame.long(at: transport + 4), isPushed: flags & Self.pushes != 0)
        case FrameHeaders.udp:
            // One without a checksum would get one.
            guard transport + 8 <= end, frame.word(at: transport + 4) == end - transport,
                frame.word(at: transport + 6) != 0
            else { return nil }
            start = transport + 8
            tcp = nil
        default: return nil
        }
        guard start < end else { return nil }
        self.network = network
        payload = start..<end
    }

    /// Where its checksum is in the TCP or UDP header.
    private var checksumOffset: Int { tcp == nil ? 6 : 16 }

    /// Whether the checksum is right, or unfinished and so of nobody's making but the kernel's.
    func isIntact(_ virtual: VirtualHeader, _ frame: Span<UInt8>) -> Bool {
        if virtual.isChecksumPartial {
            return Int(virtual.checksumStart) == transport
                && Int(virtual.checksumOffset) == checksumOffset
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
            other.payload.count <= payload.count
        else { return false }
        func isAlike(_ range: Range<Int>) -> Bool {
            frame.isSame(as: otherFrame, in: range)
        }
        // Not compared: length, number and checksum of the IP header.
        let isSamePath =
            identification == nil
            ? isAlike(0..<network + 4) && isAlike(network + 6..<transport)
            : isAlike(0..<network + 2) && isAlike(network + 6..<network + 10)
                && isAlike(network + 12..<transport)
        guard isSamePath, isAlike(transport..<transport + 4) else { return false }
        let isNextNumber =
            other.identification
            == identification.map { $0 &+ UInt16(truncatingIfNeeded: distance) }
        guard let tcp, let otherTCP = other.tcp else {
            return isNextNumber || frame.word(at: network + 6) == Self.forbidsFragments
        }
        // Nor, of TCP, the sequence number, the flags, which are known to be alike, and the checksum.
        return isNextNumber
            && otherTCP.sequence == tcp.sequence &+ UInt32(truncatingIfNeeded: bytes)
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
        virtual.segmentation = tcp == nil ? .udp : isIPv4 ? .tcpIPv4 : .tcpIPv6
        virtual.headerLength = UInt16(payload.lowerBound)
        virtual.segmentSize = UInt16(payload.count)
        virtual.checksumStart = UInt16(transport)
        virtual.checksumOffset = UInt16(checksumOffset)
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
        if tcp == nil { bytes.setWord(UInt16(ownLength), at: transport + 4) }
        let sum = pseudoHeader(bytes.span, after: VirtualHeader.count, length: ownLength)
        bytes.setWord(sum.folded, at: transport + checksumOffset)
    }

    /// The most data that a super-packet of these headers can have.
    var mostData: Int { 65_535 - (payload.lowerBound - network) }

    /// The most packets of which the kernel takes a super-packet: older ones no more datagrams than
    /// `UDP_MAX_SEGMENTS`.
    var mostPackets: Int { tcp == nil ? 64 : SuperFrame.maximumCount }

    /// - Parameter start: where the frame begins.
    private func pseudoHeader(
        _ bytes: Span<UInt8>, after start: Int = 0, length: Int
    ) -> InternetChecksum {
        var sum = InternetChecksum()
        let addresses = network + (identification == nil ? 8 : 12)
        sum.add(bytes, in: start + addresses..<start + transport)
        sum.add(UInt16(tcp == nil ? FrameHeaders.udp : FrameHeaders.tcp))
        sum.add(UInt16(length))
        return sum
    }
}

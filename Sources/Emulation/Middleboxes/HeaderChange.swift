public import LinuxKernel

/// New addresses and ports for an IPv4 packet or a TCP packet of IPv6, and a smaller segment size,
/// written in place; or addresses of the other family for any packet, which then gets a header of
/// another length (`newHeader`, `translatedError`).
///
/// Checksums are adjusted rather than computed (RFC 1624), so that a damaged packet stays damaged,
/// and the headers of a super-packet are all that is needed.
public struct HeaderChange: Sendable, Hashable {
    /// The new sender.
    public var source: Endpoint?
    /// The new receiver.
    public var target: Endpoint?
    /// The new sender of the packet that an ICMP error quotes.
    public var quotedSource: Endpoint?
    /// The new receiver of that packet.
    public var quotedTarget: Endpoint?
    /// The largest segment that the opening segment of a TCP connection may ask for, and where its
    /// header begins in the packet.
    public var segments: SegmentLimit?
    /// Whether the new addresses are of the other family.
    public var changesFamily: Bool
    /// The number by which the fragments are known of an IPv4 packet that was one of IPv6.
    public var identification: UInt16

    /// A limit on the size of TCP segments.
    public struct SegmentLimit: Sendable, Hashable {
        /// The most payload bytes.
        public var bytes: UInt16
        /// Where the TCP header begins in the packet.
        public var header: Int
    }

    /// Whether it changes addresses.
    public var isTranslation: Bool { source != nil || target != nil }

    /// Makes a change.
    public init(
        source: Endpoint? = nil, target: Endpoint? = nil, quotedSource: Endpoint? = nil,
        quotedTarget: Endpoint? = nil, segments: SegmentLimit? = nil, changesFamily: Bool = false,
        identification: UInt16 = 0
    ) {
        self.source = source
        self.target = target
        self.quotedSource = quotedSource
        self.quotedTarget = quotedTarget
        self.segments = segments
        self.changesFamily = changesFamily
        self.identification = identification
    }

    /// Changes the packet whose IP header begins at `start`, unless it gets another family.
    ///
    /// - Parameter isUnfinished: whether the transport checksum covers the pseudo-header only.
    public func apply(
        to bytes: inout MutableSpan<UInt8>, at start: Int, isUnfinished: Bool = false
    ) {
        guard !changesFamily else { return }
        if let segments {
            SegmentSizeOption.limit(
                to: segments.bytes, at: start + segments.header, end: bytes.count,
                isUnfinished: isUnfinished, in: &bytes)
        }
        guard isTranslation, start + 20 <= bytes.count else { return }
        if bytes[start] >> 4 == 6 { return applyIPv6(to: &bytes, at: start, isUnfinished) }
        guard bytes[start] >> 4 == 4 else { return }
        let header = HeaderWriter(at: start, isUnfinished: isUnfinished, in: bytes.span)
        header.write(source, isSource: true, to: &bytes)
        header.write(target, isSource: false, to: &bytes)
        guard quotedSource != nil || quotedTarget != nil, bytes[start + 9] == IPProtocol.icmp else {
            return
        }
        let quoted = start + Int(bytes[start] & 0xf) * 4 + 8
        guard quoted + 20 <= bytes.count, bytes[quoted] >> 4 == 4 else { return }
        var inner = HeaderWriter(at: quoted, isUnfinished: false, in: bytes.span)
        // The checksum of the quoted packet is of no use to anyone, but the one of the message is.
        inner.outerChecksum = quoted - 6
        inner.transportChecksum = nil
        inner.write(quotedSource, isSource: true, to: &bytes)
        inner.write(quotedTarget, isSource: false, to: &bytes)
    }

    /// Changes a packet of IPv6 that has no extension headers but that of a fragment.
    private func applyIPv6(
        to bytes: inout MutableSpan<UInt8>, at start: Int, _ isUnfinished: Bool
    ) {
        guard start + 40 <= bytes.count, source?.address.isIPv6 != false,
            target?.address.isIPv6 != false
        else { return }
        let header = HeaderWriter(ipv6At: start, isUnfinished: isUnfinished, in: bytes.span)
        header.write(source, isSource: true, to: &bytes)
        header.write(target, isSource: false, to: &bytes)
    }
}

/// Writes addresses and ports of an IP header, and keeps the checksums right.
private struct HeaderWriter {
    private let start: Int
    private let isUnfinished: Bool
    /// Where the first address is in the header.
    private var addressOffset = 12
    /// Where the checksum of the header is; nil if it has none.
    private var headerChecksum: Int?
    /// Whether the transport checksum covers the addresses.
    private var hasPseudoHeader = false
    private var ports: (source: Int, target: Int)?
    /// Where the checksum of the transport is; nil if there is none.
    var transportChecksum: Int?
    /// Where the checksum of the message is that quotes this header.
    var outerChecksum: Int?
    private var isUDP = false

    init(at start: Int, isUnfinished: Bool, in bytes: Span<UInt8>) {
        self.start = start
        self.isUnfinished = isUnfinished
        headerChecksum = start + 10
        let transport = start + Int(bytes[start] & 0xf) * 4
        let isFragment = bytes.word(at: start + 6) & 0x1fff != 0
        guard !isFragment, transport + 8 <= bytes.count else { return }
        switch bytes[start + 9] {
        case IPProtocol.tcp:
            hasPseudoHeader = true
            ports = (transport, transport + 2)
            if transport + 18 <= bytes.count { transportChecksum = transport + 16 }
        case IPProtocol.udp:
            hasPseudoHeader = true
            isUDP = true
            ports = (transport, transport + 2)
            // Zero says that there is none (RFC 768).
            if isUnfinished || bytes.word(at: transport + 6) != 0 {
                transportChecksum = transport + 6
            }
        case IPProtocol.icmp where [0, 8].contains(bytes[transport]):
            // The identifier takes the place of both ports.
            ports = (transport + 4, transport + 4)
            transportChecksum = transport + 2
        default: break
        }
    }

    /// For a packet of IPv6 without extension headers but that of a fragment.
    init(ipv6At start: Int, isUnfinished: Bool, in bytes: Span<UInt8>) {
        self.start = start
        self.isUnfinished = isUnfinished
        addressOffset = 8
        var (number, transport) = (bytes[start + 6], start + 40)
        if number == IPProtocol.fragment, transport + 8 <= bytes.count {
            guard bytes.word(at: transport + 2) & 0xfff8 == 0 else { return }
            number = bytes[transport]
            transport += 8
        }
        guard transport + 8 <= bytes.count else { return }
        hasPseudoHeader = true
        switch number {
        case IPProtocol.tcp:
            ports = (transport, transport + 2)
            if transport + 18 <= bytes.count { transportChecksum = transport + 16 }
        case IPProtocol.udp:
            isUDP = true
            ports = (transport, transport + 2)
            transportChecksum = transport + 6
        case IPProtocol.icmpv6 where [128, 129].contains(bytes[transport]):
            // The identifier takes the place of both ports.
            ports = (transport + 4, transport + 4)
            transportChecksum = transport + 2
        default: break
        }
    }

    func write(
        _ endpoint: Endpoint?, isSource: Bool, to bytes: inout MutableSpan<UInt8>
    ) {
        guard let endpoint else { return }
        let size = endpoint.address.isIPv6 ? 16 : 4
        let place = start + addressOffset + (isSource ? 0 : size)
        for offset in stride(from: 0, to: size, by: 2) {
            let word = Self.word(of: endpoint.address, endingBefore: size - offset - 2)
            let former = bytes.word(at: place + offset)
            bytes.setWord(word, at: place + offset)
            if let headerChecksum {
                adjust(at: headerChecksum, from: former, to: word, in: &bytes)
            }
            if hasPseudoHeader {
                adjustTransport(from: former, to: word, isCovered: true, in: &bytes)
            }
            adjustOuter(from: former, to: word, in: &bytes)
        }
        guard let ports else { return }
        let port = isSource ? ports.source : ports.target
        let former = bytes.word(at: port)
        bytes.setWord(endpoint.port, at: port)
        adjustTransport(from: former, to: endpoint.port, isCovered: !isUnfinished, in: &bytes)
        adjustOuter(from: former, to: endpoint.port, in: &bytes)
    }

    /// Two bytes of an address, behind which so many follow.
    private static func word(of address: IPAddress, endingBefore rest: Int) -> UInt16 {
        UInt16(
            truncatingIfNeeded: rest < 8
                ? address.low >> (8 * rest) : address.high >> (8 * (rest - 8)))
    }

    private func adjustTransport(
        from former: UInt16, to word: UInt16, isCovered: Bool, in bytes: inout MutableSpan<UInt8>
    ) {
        guard let transportChecksum, isCovered else { return }
        guard !isUnfinished else {
            // The field holds the sum itself.
            var sum = InternetChecksum()
            sum.add(bytes.word(at: transportChecksum))
            sum.add(~former)
            sum.add(word)
            bytes.setWord(sum.folded, at: transportChecksum)
            return
        }
        adjust(at: transportChecksum, from: former, to: word, in: &bytes)
        if isUDP, bytes.word(at: transportChecksum) == 0 {
            bytes.setWord(0xffff, at: transportChecksum)
        }
    }

    /// A quoted header's checksum changes together with its words, which leaves the sum over both.
    private func adjustOuter(
        from former: UInt16, to word: UInt16, in bytes: inout MutableSpan<UInt8>
    ) {
        guard let outerChecksum else { return }
        adjust(at: outerChecksum, from: former, to: word, in: &bytes)
    }

    /// Adjusts a checksum to a changed word (RFC 1624, section 3).
    private func adjust(
        at place: Int, from former: UInt16, to word: UInt16, in bytes: inout MutableSpan<UInt8>
    ) {
        let old = bytes.word(at: place)
        var sum = InternetChecksum()
        sum.add(~old)
        sum.add(~former)
        sum.add(word)
        bytes.setWord(sum.complement, at: place)
        // The checksum of a quoted header is a word of the message too.
        guard let outerChecksum, place != outerChecksum else { return }
        adjust(at: outerChecksum, from: old, to: bytes.word(at: place), in: &bytes)
    }
}

import LinuxKernel

/// A new IP header of the other family (RFC 7915), if `changesFamily`.
extension HeaderChange {
    /// A header in the place of a former one.
    public struct NewHeader: Sendable, Hashable {
        /// How many bytes the former one has, with extension headers or options.
        public var formerLength: Int
        /// The new one.
        public var bytes: [UInt8]
    }

    /// A packet is not to say that it must not be cut if no more than this is left of it, since a link
    /// of IPv4 may have a smaller MTU than IPv6 can know of (RFC 7915, section 5.1).
    private static let longestCuttable = 1260

    /// The new header of the packet at `start`, whose transport header is changed in place; nil if it
    /// has no translation. An ICMP error has none of this kind: see `translatedError`.
    ///
    /// The bytes may end behind the transport's header, unless a checksum has to be made.
    ///
    /// - Parameters:
    ///   - isUnfinished: whether the transport checksum covers the pseudo-header only.
    ///   - isSuper: whether it stands for several packets.
    public func newHeader(
        in bytes: inout MutableSpan<UInt8>, at start: Int, isUnfinished: Bool = false,
        isSuper: Bool = false
    ) -> NewHeader? {
        guard let former = FormerHeader(bytes.span, at: start), former.hopLimit > 1 else {
            return nil
        }
        if let segments {
            SegmentSizeOption.limit(
                to: segments.bytes, at: start + segments.header, end: bytes.count,
                isUnfinished: isUnfinished, in: &bytes)
        }
        guard translates(former),
            changeTransport(
                in: &bytes, at: start + former.length, former, isUnfinished: isUnfinished)
        else { return nil }
        return NewHeader(
            formerLength: former.length,
            bytes: header(
                instead: former, payloadLength: former.payloadLength,
                hopLimit: former.hopLimit - 1, isSuper: isSuper))
    }

    /// The header of a packet that an error quotes, whose transport header is changed as far as it is
    /// there.
    func quotedHeader(in bytes: inout MutableSpan<UInt8>) -> NewHeader? {
        guard let former = FormerHeader(bytes.span, at: 0), translates(former) else { return nil }
        // Its checksum is of no use to anyone.
        _ = changeTransport(in: &bytes, at: former.length, former, isUnfinished: false)
        return NewHeader(
            formerLength: former.length,
            bytes: header(
                instead: former, payloadLength: former.payloadLength, hopLimit: former.hopLimit))
    }

    /// Whether the new addresses are of the other family, and the length fits into its header.
    func translates(_ former: FormerHeader) -> Bool {
        guard changesFamily, let source, let target,
            former.payloadLength <= Int(UInt16.max) - 20
        else { return false }
        return source.address.isIPv6 != former.isIPv6 && target.address.isIPv6 != former.isIPv6
    }

    /// A whole packet with its change; nil if it has no translation to the other family.
    ///
    /// - Parameter packet: from its IP header on, with a finished checksum.
    public func applied(to packet: [UInt8]) -> [UInt8]? {
        var packet = packet
        guard changesFamily else {
            var bytes = packet.mutableSpan
            apply(to: &bytes, at: 0)
            return packet
        }
        if PacketFields(packet.span)?.isError == true { return translatedError(packet) }
        var bytes = packet.mutableSpan
        guard let header = newHeader(in: &bytes, at: 0) else { return nil }
        return header.bytes + packet.dropFirst(header.formerLength)
    }

    // MARK: The IP header

    /// - Parameter payloadLength: how many bytes follow.
    func header(
        instead former: FormerHeader, payloadLength: Int, hopLimit: UInt8, isSuper: Bool = false
    ) -> [UInt8] {
        former.isIPv6
            ? ipv4Header(former, payloadLength, hopLimit, isSuper)
            : ipv6Header(former, payloadLength, hopLimit)
    }

    private func ipv4Header(
        _ former: FormerHeader, _ payloadLength: Int, _ hopLimit: UInt8, _ isSuper: Bool
    ) -> [UInt8] {
        let length = 20 + payloadLength
        let transport =
            former.transport == IPProtocol.icmpv6 ? IPProtocol.icmp : former.transport
        var bytes: [UInt8] = [
            0x45, former.trafficClass, 0, 0, 0, 0, 0, 0, hopLimit, transport, 0, 0,
        ]
        bytes.set(UInt16(truncatingIfNeeded: length), at: 2)
        if let fragment = former.fragment {
            bytes.set(UInt16(truncatingIfNeeded: fragment.identification), at: 4)
            bytes.set(
                UInt16(truncatingIfNeeded: fragment.offset / 8) | (fragment.hasMore ? 0x2000 : 0),
                at: 6)
        } else if isSuper || length > Self.longestCuttable {
            bytes.set(0x4000, at: 6)
        } else {
            bytes.set(identification, at: 4)
        }
        bytes += (source?.address.bytes ?? []) + (target?.address.bytes ?? [])
        var sum = PacketChecksum()
        sum.add(bytes[...])
        bytes.set(sum.value, at: 10)
        return bytes
    }

    private func ipv6Header(
        _ former: FormerHeader, _ payloadLength: Int, _ hopLimit: UInt8
    ) -> [UInt8] {
        let transport =
            former.transport == IPProtocol.icmp ? IPProtocol.icmpv6 : former.transport
        var bytes: [UInt8] = [
            0x60 | former.trafficClass >> 4, former.trafficClass << 4, 0, 0, 0, 0,
            former.fragment == nil ? transport : IPProtocol.fragment, hopLimit,
        ]
        bytes.set(
            UInt16(truncatingIfNeeded: payloadLength + (former.fragment == nil ? 0 : 8)), at: 4)
        bytes += (source?.address.bytes ?? []) + (target?.address.bytes ?? [])
        if let fragment = former.fragment {
            bytes += [transport, 0, 0, 0, 0, 0, 0, 0]
            bytes.set(
                UInt16(truncatingIfNeeded: fragment.offset) | (fragment.hasMore ? 1 : 0), at: 42)
            bytes.set(UInt16(truncatingIfNeeded: fragment.identification), at: 46)
        }
        return bytes
    }

    // MARK: The transport's header

    /// Changes ports, or the type and the identifier of an echo, and the checksum; false if that cannot
    /// be done.
    private func changeTransport(
        in bytes: inout MutableSpan<UInt8>, at place: Int, _ former: FormerHeader,
        isUnfinished: Bool
    ) -> Bool {
        let isICMP = [IPProtocol.icmp, IPProtocol.icmpv6].contains(former.transport)
        // The checksum of ICMPv6 covers the length of the whole (RFC 7915, section 1.2).
        guard former.fragment == nil || !isICMP else { return false }
        if let fragment = former.fragment, fragment.offset > 0 { return true }
        guard place + 8 <= bytes.count else { return false }
        var change = ChecksumChange()
        switch former.transport {
        case IPProtocol.tcp, IPProtocol.udp:
            change.replaceAddresses(of: former, by: self)
            if isUnfinished {
                // The field holds the sum itself, of the pseudo-header only.
                setPorts(in: &bytes, at: place)
                let field = place + (former.transport == IPProtocol.tcp ? 16 : 6)
                guard field + 2 <= bytes.count else { return false }
                bytes.setWord(change.unfinished(bytes.word(at: field)), at: field)
                return true
            }
            change.remove(bytes.word(at: place))
            change.remove(bytes.word(at: place + 2))
            setPorts(in: &bytes, at: place)
            change.add(bytes.word(at: place))
            change.add(bytes.word(at: place + 2))
            return former.transport == IPProtocol.tcp
                ? finishTCP(in: &bytes, at: place, change)
                : finishUDP(in: &bytes, at: place, former, change)
        case IPProtocol.icmp where !former.isIPv6, IPProtocol.icmpv6 where former.isIPv6:
            return changeEcho(in: &bytes, at: place, former, isUnfinished: isUnfinished)
        default: return false
        }
    }

    private func setPorts(in bytes: inout MutableSpan<UInt8>, at place: Int) {
        if let source { bytes.setWord(source.port, at: place) }
        if let target { bytes.setWord(target.port, at: place + 2) }
    }

    private func finishTCP(
        in bytes: inout MutableSpan<UInt8>, at place: Int, _ change: ChecksumChange
    ) -> Bool {
        guard place + 18 <= bytes.count else { return false }
        bytes.setWord(change.finished(bytes.word(at: place + 16)), at: place + 16)
        return true
    }

    private func finishUDP(
        in bytes: inout MutableSpan<UInt8>, at place: Int, _ former: FormerHeader,
        _ change: ChecksumChange
    ) -> Bool {
        let sum: UInt16
        if bytes.word(at: place + 6) != 0 {
            sum = change.finished(bytes.word(at: place + 6))
        } else if former.isIPv6 {
            // None, which IPv4 allows for all (RFC 768).
            return true
        } else {
            // IPv6 needs one, which a fragment does not tell (RFC 7915, section 4.5).
            let end = place + former.payloadLength
            guard former.fragment == nil, end <= bytes.count, let source, let target else {
                return false
            }
            var pseudo = PacketChecksum()
            pseudo.addPseudoHeader(
                from: source.address, to: target.address, transport: IPProtocol.udp,
                length: former.payloadLength)
            var whole = InternetChecksum()
            whole.add(~pseudo.value)
            whole.add(bytes.span, in: place..<end)
            sum = whole.complement
        }
        // Zero would mean that there is none.
        bytes.setWord(sum == 0 ? 0xffff : sum, at: place + 6)
        return true
    }

    private func changeEcho(
        in bytes: inout MutableSpan<UInt8>, at place: Int, _ former: FormerHeader,
        isUnfinished: Bool
    ) -> Bool {
        let types: [(ipv4: UInt8, ipv6: UInt8)] = [(8, 128), (0, 129)]
        let type = bytes[place]
        guard let pair = types.first(where: { type == (former.isIPv6 ? $0.ipv6 : $0.ipv4) }) else {
            return false
        }
        var change = ChecksumChange()
        // Only that of ICMPv6 has a pseudo-header.
        if former.isIPv6 {
            change.removePseudoHeader(of: former)
        } else {
            change.addPseudoHeader(of: self, former)
        }
        change.remove(bytes.word(at: place))
        change.remove(bytes.word(at: place + 4))
        bytes[place] = former.isIPv6 ? pair.ipv4 : pair.ipv6
        if let source { bytes.setWord(source.port, at: place + 4) }
        change.add(bytes.word(at: place))
        change.add(bytes.word(at: place + 4))
        if isUnfinished {
            var pseudo = ChecksumChange()
            if !former.isIPv6 { pseudo.addPseudoHeader(of: self, former) }
            bytes.setWord(pseudo.unfinished(0), at: place + 2)
        } else {
            bytes.setWord(change.finished(bytes.word(at: place + 2)), at: place + 2)
        }
        return true
    }
}

/// What is to be added to a checksum, and taken from it (RFC 1624).
private struct ChecksumChange {
    private var sum = InternetChecksum()

    mutating func add(_ word: UInt16) { sum.add(word) }

    mutating func remove(_ word: UInt16) { sum.add(~word) }

    mutating func replaceAddresses(of former: FormerHeader, by change: HeaderChange) {
        for address in [former.source, former.target] { remove(address) }
        for endpoint in [change.source, change.target] { endpoint.map { add($0.address) } }
    }

    mutating func removePseudoHeader(of former: FormerHeader) {
        for address in [former.source, former.target] { remove(address) }
        remove(UInt16(truncatingIfNeeded: former.payloadLength))
        remove(UInt16(IPProtocol.icmpv6))
    }

    mutating func addPseudoHeader(of change: HeaderChange, _ former: FormerHeader) {
        for endpoint in [change.source, change.target] { endpoint.map { add($0.address) } }
        add(UInt16(truncatingIfNeeded: former.payloadLength))
        add(UInt16(IPProtocol.icmpv6))
    }

    private mutating func add(_ address: IPAddress) {
        for word in address.words { add(word) }
    }

    private mutating func remove(_ address: IPAddress) {
        for word in address.words { remove(word) }
    }

    /// The field of a finished checksum, which was `field`.
    func finished(_ field: UInt16) -> UInt16 {
        var sum = sum
        sum.add(~field)
        return sum.complement
    }

    /// The field of an unfinished one, which was `field`.
    func unfinished(_ field: UInt16) -> UInt16 {
        var sum = sum
        sum.add(field)
        return sum.folded
    }
}

extension IPAddress {
    /// Its 16-bit words.
    fileprivate var words: [UInt16] {
        let halves = isIPv6 ? [high >> 32, high, low >> 32, low] : [low]
        return halves.flatMap {
            [UInt16(truncatingIfNeeded: $0 >> 16), UInt16(truncatingIfNeeded: $0)]
        }
    }
}

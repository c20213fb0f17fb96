/// Builds IP packets, starting with the IP header.
public enum IPPacket {
    /// The largest packet that every host must accept (RFC 791, RFC 8200); ICMP errors quote no
    /// more.
    private static let quoteLimit = (ipv4: 576, ipv6: 1280)
    private static let hopLimit: UInt8 = 64

    /// A packet with the minimal headers.
    ///
    /// - Parameter identification: the ID of an IPv4 packet; the kernel replaces zero.
    public static func packet(
        _ transport: UInt8, from source: IPAddress, to destination: IPAddress,
        identification: UInt16 = 0, payload: some Collection<UInt8>
    ) -> [UInt8] {
        var bytes: [UInt8]
        if source.isIPv6 {
            bytes = [0x60, 0, 0, 0, 0, 0, transport, hopLimit]
            bytes.set(UInt16(truncatingIfNeeded: payload.count), at: 4)
        } else {
            bytes = [0x45, 0, 0, 0, 0, 0, 0, 0, hopLimit, transport, 0, 0]
            bytes.set(UInt16(truncatingIfNeeded: 20 + payload.count), at: 2)
            bytes.set(identification, at: 4)
        }
        bytes.reserveCapacity(40 + payload.count)
        bytes += source.bytes
        bytes += destination.bytes
        if !source.isIPv6 { setHeaderChecksum(of: &bytes) }
        bytes += payload
        return bytes
    }

    /// A UDP datagram.
    public static func datagram(
        from source: Endpoint, to destination: Endpoint, payload: some Collection<UInt8>
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes.set(source.port, at: 0)
        bytes.set(destination.port, at: 2)
        bytes.set(UInt16(truncatingIfNeeded: 8 + payload.count), at: 4)
        bytes += payload
        let checksum = PacketChecksum.ofTransport(
            bytes[...], IPProtocol.udp, from: source.address, to: destination.address)
        // Zero would mean "no checksum" (RFC 768).
        bytes.set(checksum == 0 ? 0xffff : checksum, at: 6)
        return packet(
            IPProtocol.udp, from: source.address, to: destination.address, payload: bytes)
    }

    /// UDP datagrams as one super-packet: their contents one after the other. The checksum covers the
    /// pseudo-header only; whoever cuts the packet up completes it.
    static func train(
        from source: Endpoint, to destination: Endpoint, identification: UInt16, payload: [UInt8]
    ) -> [UInt8] {
        let length = 8 + payload.count
        var checksum = PacketChecksum()
        checksum.addPseudoHeader(
            from: source.address, to: destination.address, transport: IPProtocol.udp, length: length
        )
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes.set(source.port, at: 0)
        bytes.set(destination.port, at: 2)
        bytes.set(UInt16(truncatingIfNeeded: length), at: 4)
        bytes.set(~checksum.value, at: 6)
        bytes += payload
        return packet(
            IPProtocol.udp, from: source.address, to: destination.address,
            identification: identification, payload: bytes)
    }

    /// An ICMP or ICMPv6 message, whose checksum is filled in.
    public static func icmp(
        _ message: [UInt8], from source: IPAddress, to destination: IPAddress
    ) -> [UInt8] {
        let transport = source.isIPv6 ? IPProtocol.icmpv6 : IPProtocol.icmp
        var bytes = message
        bytes.set(0, at: 2)
        bytes.set(
            PacketChecksum.ofTransport(bytes[...], transport, from: source, to: destination),
            at: 2)
        return packet(transport, from: source, to: destination, payload: bytes)
    }

    /// An ICMP error about a packet, for its sender.
    ///
    /// - Parameters:
    ///   - type: the ICMP or ICMPv6 type.
    ///   - parameter: the second word of the ICMP header: 0, or an MTU.
    ///   - packet: the packet that the error is about.
    public static func error(
        type: UInt8, code: UInt8, parameter: UInt32 = 0, quoting packet: [UInt8],
        from reporter: IPAddress, to sender: IPAddress
    ) -> [UInt8] {
        let limit = sender.isIPv6 ? quoteLimit.ipv6 - 48 : quoteLimit.ipv4 - 28
        var message: [UInt8] = [type, code, 0, 0, 0, 0, 0, 0]
        message.set(UInt16(parameter >> 16), at: 4)
        message.set(UInt16(truncatingIfNeeded: parameter), at: 6)
        return icmp(message + packet.prefix(limit), from: reporter, to: sender)
    }

    /// Splits a packet into fragments of at most `mtu` bytes (RFC 791, section 3.2; RFC 8200, 4.5).
    ///
    /// - Parameters:
    ///   - packet: an IPv4 packet, which may be a fragment itself, or an IPv6 packet without
    ///     extension headers.
    ///   - identification: the ID that all fragments of the packet share; nil for the one that an
    ///     IPv4 packet already has.
    public static func fragments(
        of packet: [UInt8], mtu: Int, identification: UInt32? = nil
    ) -> [[UInt8]] {
        guard packet.count > max(mtu, 60), let first = packet.first else { return [packet] }
        let isIPv6 = first >> 4 == 6
        let headerLength = isIPv6 ? 40 : max(20, Int(first & 0xf) * 4)
        let step = max(8, (mtu - headerLength - (isIPv6 ? 8 : 0)) & ~7)
        let payload = packet[headerLength...]
        return stride(from: 0, to: payload.count, by: step).map { offset in
            let part = payload.dropFirst(offset).prefix(step)
            let isLast = offset + part.count == payload.count
            var header = Array(packet.prefix(headerLength))
            if isIPv6 {
                header.set(UInt16(8 + part.count), at: 4)
                header += [header[6], 0, 0, 0, 0, 0, 0, 0]
                header[6] = IPProtocol.fragment
                header.set(UInt16(offset) | (isLast ? 0 : 1), at: 42)
                header.set(UInt16((identification ?? 0) >> 16), at: 44)
                header.set(UInt16(truncatingIfNeeded: identification ?? 0), at: 46)
            } else {
                header.set(UInt16(headerLength + part.count), at: 2)
                if let identification {
                    header.set(UInt16(truncatingIfNeeded: identification), at: 4)
                }
                let former = header.number(at: 6)
                let place = (former &+ UInt16(offset / 8)) & 0x1fff
                header.set(place | (isLast ? former & 0x2000 : 0x2000), at: 6)
                if offset > 0 { blankUncopiedOptions(of: &header) }
                setHeaderChecksum(of: &header)
            }
            return header + part
        }
    }

    /// Only the first fragment keeps the options that are not to be copied (RFC 791, section 3.1).
    /// The others have padding in their place.
    private static func blankUncopiedOptions(of header: inout [UInt8]) {
        var index = 20
        while index + 1 < header.count, header[index] != 0 {
            let length = header[index] == 1 ? 1 : Int(header[index + 1])
            guard length > 0, index + length <= header.count else { return }
            if header[index] & 0x80 == 0 {
                for place in index..<index + length { header[place] = 1 }
            }
            index += length
        }
    }

    private static func setHeaderChecksum(of header: inout [UInt8]) {
        header.set(0, at: 10)
        var checksum = PacketChecksum()
        checksum.add(header[...])
        header.set(checksum.value, at: 10)
    }
}

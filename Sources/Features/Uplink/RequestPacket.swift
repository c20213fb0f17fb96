import LinuxKernel

/// A packet of the app that requests a TCP connection or an echo.
struct RequestPacket: Sendable {
    /// The kind of request.
    enum Kind: Sendable, Hashable {
        case connection
        /// A Multipath TCP connection.
        case multipathConnection
        /// An additional subflow of such a connection.
        case path
        case echo
    }

    /// The whole packet from its IP header on, with valid checksums.
    let bytes: [UInt8]
    /// The kind of request.
    let kind: Kind
    /// The sender. An echo has its identifier as port.
    let source: Endpoint
    /// The destination.
    let destination: Endpoint
    /// The offset of the transport header.
    let transportOffset: Int

    /// Parses a packet; nil if it is damaged, or not a request.
    ///
    /// - Parameter isUnfinished: Whether its transport checksum was left to the network card
    ///   (checksum offload); it is filled in then.
    init?(_ bytes: [UInt8], isUnfinished: Bool) {
        var bytes = bytes
        guard let first = bytes.first else { return nil }
        let isIPv6 = first >> 4 == 6
        let transportOffset = isIPv6 ? 40 : Int(first & 0xf) * 4
        guard isIPv6 || first >> 4 == 4, bytes.count >= transportOffset + 8, transportOffset >= 20
        else { return nil }
        let end = isIPv6 ? 40 + Int(bytes.number(at: 4)) : Int(bytes.number(at: 2))
        let transport = isIPv6 ? bytes[6] : bytes[9]
        let addresses = isIPv6 ? bytes[8..<40] : bytes[12..<20]
        guard bytes.count >= end, end >= transportOffset + 8,
            let source = IPAddress(bytes: addresses.prefix(isIPv6 ? 16 : 4)),
            let destination = IPAddress(bytes: addresses.suffix(isIPv6 ? 16 : 4))
        else { return nil }
        bytes.removeLast(bytes.count - end)

        let checksumOffset: Int
        switch transport {
        case IPProtocol.tcp where end >= transportOffset + 20:
            switch TCPOptions.multipath(in: bytes[transportOffset..<end]) {
            case .connection: kind = .multipathConnection
            case .path: kind = .path
            case nil: kind = .connection
            }
            checksumOffset = transportOffset + 16
            self.source = Endpoint(source, port: bytes.number(at: transportOffset))
            self.destination = Endpoint(destination, port: bytes.number(at: transportOffset + 2))
        case IPProtocol.icmp, IPProtocol.icmpv6:
            kind = .echo
            checksumOffset = transportOffset + 2
            self.source = Endpoint(source, port: bytes.number(at: transportOffset + 4))
            self.destination = Endpoint(destination, port: 0)
        default:
            return nil
        }
        if isUnfinished { bytes.set(0, at: checksumOffset) }
        let checksum = PacketChecksum.ofTransport(
            bytes[transportOffset...], transport, from: source, to: destination)
        if isUnfinished {
            bytes.set(checksum, at: checksumOffset)
        } else if checksum != 0 {
            // The link may have corrupted it: a host would ignore it.
            return nil
        }
        self.bytes = bytes
        self.transportOffset = transportOffset
    }

    /// The TCP sequence number.
    var sequenceNumber: UInt32 {
        bytes[transportOffset + 4..<transportOffset + 8].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The ICMP message of an echo request.
    var message: ArraySlice<UInt8> { bytes[transportOffset...] }
}

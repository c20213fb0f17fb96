/// What a UDP payload shows of QUIC without its keys (RFC 8999, RFC 9000 section 17).
enum QUICHeader: Sendable {
    /// A long header: Initial, 0-RTT, Handshake or Retry.
    case handshake
    /// A short header: 1-RTT.
    case data

    /// The kind of a payload; nil if it is not QUIC.
    ///
    /// - Parameter isKnown: Whether earlier packets of this flow were QUIC. A short header alone
    ///   does not tell.
    init?(_ payload: [UInt8], isKnown: Bool) {
        guard payload.count >= 7, payload[0] & 0x40 != 0 else { return nil }
        if payload[0] & 0x80 == 0 {
            guard isKnown else { return nil }
            self = .data
            return
        }
        let version = payload[1...4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        // Version 1, version 2 (RFC 9369), drafts, and connection IDs of 20 bytes at most.
        let isVersion =
            version == 1 || version == 0x6b33_43cf || version >> 8 == 0xff_0000
        guard isVersion, payload[5] <= 20 else { return nil }
        self = .handshake
    }
}

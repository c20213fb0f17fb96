/// The IP version of packets.
public enum InternetFamily: Int32, Sendable, Hashable, Codable, CaseIterable {
    case ipv4 = 4
    case ipv6 = 6

    /// The bytes of the headers of IP and UDP.
    package var headerBytes: Int { self == .ipv4 ? 28 : 48 }
    /// The smallest packet that can be a probe.
    package var leastPacket: Int { headerBytes + ProbeHead.byteCount }
}

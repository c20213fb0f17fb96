import CNetlink
import Glibc

/// An address of IPv4 or IPv6.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// The bytes in network order: 4, or 16 of IPv6.
    public let bytes: [UInt8]

    /// Makes an address of 4 or 16 bytes; nil for any other number.
    public init?(bytes: [UInt8]) {
        guard [4, 16].contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Reads `192.0.2.1` or `2001:db8::1`; nil for anything else.
    public init?(parsing text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if unsafe inet_pton(AF_INET6, text, &bytes) == 1 {
            self.bytes = bytes
        } else {
            return nil
        }
    }

    /// Whether it is an address of IPv6.
    public var isIPv6: Bool { bytes.count == 16 }

    /// The usual text: `192.0.2.1`, `2001:db8::1`.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        unsafe inet_ntop(isIPv6 ? AF_INET6 : AF_INET, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }

    /// The family as netlink messages name it.
    var family: UInt8 { UInt8(isIPv6 ? AF_INET6 : AF_INET) }
}

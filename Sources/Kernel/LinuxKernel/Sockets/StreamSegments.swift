import CLinux
public import SystemPackage

/// How large the segments of a TCP connection may be, in payload bytes.
public struct SegmentSizes: Sendable, Hashable {
    /// What this end has announced to the other (MSS, RFC 9293, section 3.7.1).
    public let announced: Int
    /// What this end may send, before options: what the other end has announced, or less if this
    /// end's MTU has no room for it.
    public let permitted: Int
}

extension StreamSocket {
    /// The address of this end.
    public borrowing func own() throws(Errno) -> Endpoint {
        var endpoint = lc_endpoint()
        try checked(unsafe lc_own_end(descriptor.rawValue, &endpoint))
        return Endpoint(endpoint)
    }

    /// The sizes of segments, as `TCP_INFO` tells them.
    public borrowing func segmentSizes() throws(Errno) -> SegmentSizes {
        var (announced, permitted) = (UInt32(0), UInt32(0))
        try checked(unsafe lc_stream_segments(descriptor.rawValue, &announced, &permitted))
        return SegmentSizes(announced: Int(announced), permitted: Int(permitted))
    }

    /// The packet by which the other end opened the connection, from its IP header to the end of
    /// its TCP header, once; empty if the listener does not keep it (`TCP_SAVED_SYN`).
    public borrowing func takeOpening() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe lc_saved_opening(descriptor.rawValue, &bytes, UInt32(bytes.count))
        return Array(bytes.prefix(max(0, Int(count))))
    }
}

extension DatagramSocket {
    /// The address of this end: of a connected socket, the one by which it sends.
    public borrowing func own() throws(Errno) -> Endpoint {
        var endpoint = lc_endpoint()
        try checked(unsafe lc_own_end(descriptor.rawValue, &endpoint))
        return Endpoint(endpoint)
    }
}

extension StreamListener {
    /// Keeps the opening packet of each connection from now on, for `StreamSocket.takeOpening`.
    public borrowing func keepOpenings() { _ = lc_keep_openings(descriptor.rawValue) }
}

/// The addresses of the interfaces that are up.
public enum OwnAddresses {
    /// Those at which others can reach this host: without loopback and link-local ones.
    public static func reachable() -> [IPAddress] {
        var endpoints = [lc_endpoint](repeating: lc_endpoint(), count: 64)
        let count = unsafe lc_own_addresses(&endpoints, Int32(endpoints.count))
        return endpoints.prefix(max(0, Int(count))).map { Endpoint($0).address }.filter {
            let isLinkLocal =
                $0.isIPv6 ? $0.high >> 54 == 0xfe80 >> 6 : $0.low >> 16 == 0xa9fe
            return !$0.isLoopback && !isLinkLocal
        }
    }
}

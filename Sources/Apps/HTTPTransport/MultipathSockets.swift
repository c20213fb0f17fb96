import CCurl

/// The sockets of Multipath TCP that a client has opened. It belongs to the client's thread.
///
/// libcurl does not say which socket a request is sent over, only its port, before the request has
/// ended.
final class MultipathSockets {
    /// Some may be closed, and their numbers may be those of other files.
    private var descriptors: Set<Int32> = []

    func add(_ descriptor: Int32) {
        descriptors.insert(descriptor)
    }

    /// Whether the connection from this port speaks Multipath TCP at both ends.
    func areConnected(from port: Int) -> Bool {
        descriptors.contains { lc_curl_is_multipath($0, Int32(port)) != 0 }
    }
}

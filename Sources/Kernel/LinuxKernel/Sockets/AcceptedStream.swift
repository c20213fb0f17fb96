import CLinux
public import SystemPackage

/// A connection of a client and its two endpoints.
public struct AcceptedStream: ~Copyable, Sendable {
    /// The connection.
    public let stream: StreamSocket
    /// The client's address.
    public let peer: Endpoint
    /// The address that the client has connected to.
    public let destination: Endpoint

    /// Gives up ownership of the connection.
    public consuming func take() -> StreamSocket { stream }
}

extension StreamListener {
    /// The next connection and its endpoints.
    ///
    /// - Parameter unsentLimit: how many unsent bytes its socket accepts.
    public borrowing func acceptWithEnds(unsentLimit: Int) throws(Errno) -> AcceptedStream {
        var (peer, destination) = (lc_endpoint(), lc_endpoint())
        let status = unsafe lc_accept(
            descriptor.rawValue, UInt32(clamping: unsentLimit), &peer, &destination)
        return AcceptedStream(
            stream: StreamSocket(adopting: try OwnedDescriptor(status: status)),
            peer: Endpoint(peer), destination: Endpoint(destination))
    }

    /// The port at which it listens.
    public borrowing func port() throws(Errno) -> UInt16 {
        UInt16(try checked(lc_bound_port(descriptor.rawValue)))
    }
}

extension StreamSocket {
    /// Starts to connect, with the shape that the kernel gives it but for the unsent bytes that it
    /// accepts.
    public init(connectingTo endpoint: Endpoint, unsentLimit: Int) throws(Errno) {
        self.init(
            adopting: try OwnedDescriptor(
                status: lc_connect_stream_unsent(endpoint.shim, UInt32(clamping: unsentLimit))))
    }
}

extension DatagramSocket {
    /// The port to which it is bound.
    public borrowing func port() throws(Errno) -> UInt16 {
        UInt16(try checked(lc_bound_port(descriptor.rawValue)))
    }
}

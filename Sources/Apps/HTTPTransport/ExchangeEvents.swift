public import LinuxKernel

/// What a client tells about an exchange. All calls come from the client's thread, one at a time,
/// and must return soon: the client's other exchanges wait meanwhile.
public protocol ExchangeEvents: Sendable {
    /// It has left the queue and begins to connect.
    func started()

    /// Whether a connection may be made from `local`, as the kernel has chosen it, to `remote`.
    /// Asked for `ExchangeRequest.Route.system` only, before any packet is sent.
    func mayConnect(from local: SocketAddress, to remote: SocketAddress) -> Bool

    /// Whether the request may be sent, now that there is a connection. If not, the exchange fails
    /// with `ExchangeFailure.Kind.stopped`, and nothing of the request has been sent. Asked again
    /// if a connection that was kept turns out to be dead.
    func mayBegin(on connection: ExchangeConnection) -> Bool

    /// The head of the final response; false ends the exchange.
    func receive(_ head: ResponseHead) -> Bool

    /// A part of the body; false ends the exchange.
    func receive(_ bytes: [UInt8]) -> Bool

    /// How much of the request's body has been sent so far.
    func sent(_ total: Int64)

    /// The exchange has ended. Nothing is called after this.
    func ended(_ result: Result<ExchangeMetrics, ExchangeFailure>)
}

/// An address and, for a link-local one, its interface.
public struct SocketAddress: Hashable, Sendable {
    /// The address.
    public var address: IPAddress
    /// The index of the interface of a link-local address, otherwise 0.
    public var scope: UInt32

    /// Names an address.
    public init(_ address: IPAddress, scope: UInt32 = 0) {
        (self.address, self.scope) = (address, scope)
    }
}

/// The connection of an exchange.
public struct ExchangeConnection: Hashable, Sendable {
    /// The address of this host, such as `192.0.2.1` or `fd00::1`.
    public var localAddress: String
    /// The port of this host.
    public var localPort: Int
    /// The address of the server, or of the proxy.
    public var remoteAddress: String
    /// The port of the server, or of the proxy.
    public var remotePort: Int
    /// Whether an earlier exchange has used it.
    public var isReused: Bool
    /// Whether it is a Multipath TCP connection that has not fallen back to TCP.
    public var isMultipath: Bool

    /// Describes a connection.
    public init(
        localAddress: String, localPort: Int = 0, remoteAddress: String = "", remotePort: Int = 0,
        isReused: Bool = false, isMultipath: Bool = false
    ) {
        (self.localAddress, self.localPort) = (localAddress, localPort)
        (self.remoteAddress, self.remotePort) = (remoteAddress, remotePort)
        (self.isReused, self.isMultipath) = (isReused, isMultipath)
    }
}

/// Times and counts of an exchange.
public struct ExchangeMetrics: Hashable, Sendable {
    /// The protocol as ALPN names it (RFC 7301): `http/1.1`, `h2`.
    public var protocolName: String?
    /// The time from the start of the exchange until the name was resolved.
    public var nameResolved: Duration?
    /// The time until there was a connection.
    public var connected: Duration?
    /// The time until TLS was done; nil without TLS.
    public var secured: Duration?
    /// The time until the request was sent.
    public var requestBegun: Duration?
    /// The time until the first byte of the response.
    public var responseBegun: Duration?
    /// The time of the whole exchange.
    public var total = Duration.zero
    /// Bytes of the request's head.
    public var sentHead: Int64 = 0
    /// Bytes of the request's body.
    public var sentBody: Int64 = 0
    /// Bytes of the response's head.
    public var receivedHead: Int64 = 0
    /// Bytes of the response's body in transit.
    public var receivedBody: Int64 = 0

    /// Nothing has happened.
    public init() {}
}

public import Foundation
import FoundationNetworking
import HTTPTransport
import NetworkPath

/// What a task has taken. Equivalent to `URLSessionTaskMetrics`.
public struct NetworkSessionTaskMetrics: Hashable, Sendable {
    /// From `resume()` to the end, including waiting.
    public var taskInterval: DateInterval
    /// How many redirects were followed.
    public var redirectCount: Int
    /// The requests that were sent, in order.
    public var transactionMetrics: [NetworkSessionTaskTransactionMetrics]
}

/// What a request has taken. Equivalent to `URLSessionTaskTransactionMetrics`.
///
/// The dates are counted from `fetchStartDate`, so they are in order even if the clock is set
/// meanwhile. They are nil for what did not happen, such as connecting for a reused connection.
public struct NetworkSessionTaskTransactionMetrics: Hashable, Sendable {
    /// The URL of the request.
    public var url: URL?
    /// The status of the response; nil if there was none.
    public var statusCode: Int?
    /// When the request began.
    public var fetchStartDate: Date
    /// When the name was resolved.
    public var domainLookupEndDate: Date?
    /// When the connection was made, including TLS.
    public var connectEndDate: Date?
    /// When TLS was done.
    public var secureConnectionEndDate: Date?
    /// When the request was sent.
    public var requestStartDate: Date?
    /// When the first byte of the response came.
    public var responseStartDate: Date?
    /// When the last byte of the response came.
    public var responseEndDate: Date?
    /// The protocol: `http/1.1` or `h2`.
    public var networkProtocolName: String?
    /// Whether the connection was kept from an earlier request.
    public var isReusedConnection: Bool
    /// Whether the network was a mobile one.
    public var isCellular: Bool
    /// Whether the network cost money by volume.
    public var isExpensive: Bool
    /// Whether the network was in Low Data Mode.
    public var isConstrained: Bool
    /// Whether the connection was Multipath TCP.
    public var isMultipath: Bool
    /// The interface, such as `wifi0`; nil for connections within this host. Apple has no such
    /// property.
    public var interfaceName: String?
    /// The address of this host.
    public var localAddress: String?
    /// The port of this host.
    public var localPort: Int?
    /// The address of the server.
    public var remoteAddress: String?
    /// The port of the server.
    public var remotePort: Int?
    /// Bytes of the request's header.
    public var countOfRequestHeaderBytesSent: Int64
    /// Bytes of the request's body.
    public var countOfRequestBodyBytesSent: Int64
    /// Bytes of the response's header.
    public var countOfResponseHeaderBytesReceived: Int64
    /// Bytes of the response's body in transit.
    public var countOfResponseBodyBytesReceived: Int64
}

extension NetworkSessionTaskTransactionMetrics {
    /// What an attempt that began at `start` has taken.
    init(_ ending: Attempt.Ending, url: URL?, start: Date) {
        let exchange = (try? ending.result.get()) ?? ExchangeMetrics()
        let (connection, interface) = (ending.link?.connection, ending.link?.interface)
        let isReused = connection?.isReused ?? false
        func date(_ time: Duration?) -> Date? {
            time.map { start.addingTimeInterval($0 / .seconds(1)) }
        }
        self.url = url
        statusCode = ending.response?.statusCode
        fetchStartDate = start
        domainLookupEndDate = isReused ? nil : date(exchange.nameResolved)
        connectEndDate = isReused ? nil : date(exchange.secured ?? exchange.connected)
        secureConnectionEndDate = isReused ? nil : date(exchange.secured)
        requestStartDate = date(exchange.requestBegun)
        responseStartDate = date(exchange.responseBegun)
        responseEndDate = date(exchange.total)
        networkProtocolName = exchange.protocolName
        isReusedConnection = isReused
        isCellular = interface?.kind == .cellular
        isExpensive = interface?.isExpensive ?? false
        isConstrained = interface?.isConstrained ?? false
        isMultipath = connection?.isMultipath ?? false
        interfaceName = interface?.name
        (localAddress, localPort) = (connection?.localAddress, connection?.localPort)
        (remoteAddress, remotePort) = (connection?.remoteAddress, connection?.remotePort)
        countOfRequestHeaderBytesSent = exchange.sentHead
        countOfRequestBodyBytesSent = exchange.sentBody
        countOfResponseHeaderBytesReceived = exchange.receivedHead
        countOfResponseBodyBytesReceived = exchange.receivedBody
    }
}

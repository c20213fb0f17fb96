import HTTPAPI
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// Accepts the API's connections.
///
/// On NIO's HTTP/1.1 alone: frameworks on top of it, such as Hummingbird, take this package's module
/// `Network` for Apple's (`#if canImport(Network)`) and do not compile beside it.
struct APIServer: Sendable {
    private let limits: RequestLimits
    private let tls: NIOSSLContext?
    private let respond: @concurrent @Sendable (APIRequest, String) async -> APIResponse

    init(
        _ limits: RequestLimits, tls: NIOSSLContext? = nil,
        respond: @escaping @concurrent @Sendable (APIRequest, String) async -> APIResponse
    ) {
        self.limits = limits
        self.tls = tls
        self.respond = respond
    }

    /// Opens the socket; connections are served from then on.
    func open(_ address: APIAddress, on group: any EventLoopGroup) async throws -> any Channel {
        let bootstrap = bootstrap(group)
        switch address {
        case .tcp(let host, let port):
            // Not by name: a statically linked program cannot look one up.
            let literal =
                APIAddress.isLoopback(host) && host.contains("localhost") ? "127.0.0.1" : host
            guard let place = try? SocketAddress(ipAddress: literal, port: port) else {
                throw NoSuchAddress(host: host)
            }
            return try await bootstrap.bind(to: place).get()
        case .unix(let path): return try await bootstrap.bind(unixDomainSocketPath: path).get()
        }
    }

    /// Serves a socket that listens already.
    func adopt(_ socket: CInt, on group: any EventLoopGroup) async throws -> any Channel {
        try await bootstrap(group).withBoundSocket(socket).get()
    }

    private func bootstrap(_ group: any EventLoopGroup) -> ServerBootstrap {
        let open = OpenConnections(most: limits.connections)
        return ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                guard open.add() else { return channel.close() }
                channel.closeFuture.whenComplete { _ in open.remove() }
                return channel.eventLoop.makeCompletedFuture { try configure(channel) }
            }
    }

    private func configure(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
        try pipeline.addHandler(FirstByteWatch())
        try pipeline.configureHTTPServerPipeline(
            // The handler answers errors with their cause.
            withPipeliningAssistance: true, withErrorHandling: false,
            withOutboundHeaderValidation: true, withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: limits.decoder)
        try pipeline.addHandler(RequestHandler(limits, respond: respond))
    }
}

/// A name where an address belongs.
private struct NoSuchAddress: Error, CustomStringConvertible {
    let host: String

    var description: String { "\(host) is no IP address of this host" }
}

/// Counts connections, so that there are always descriptors for the proxy and for others to come.
private final class OpenConnections: Sendable {
    private let count = Mutex(0)
    private let most: Int

    init(most: Int) {
        self.most = most
    }

    func add() -> Bool {
        count.withLock { count in
            guard count < most else { return false }
            count += 1
            return true
        }
    }

    func remove() { count.withLock { $0 -= 1 } }
}

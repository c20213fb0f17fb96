import Glibc
import NIOCore
import NIOPosix
import NetworkPath

/// Makes the socket of a listener.
struct ListeningSocket {
    private let listener: NWListener
    private var parameters: NWParameters { listener.parameters }

    init(_ listener: NWListener) { self.listener = listener }

    /// Binds to the required address, or to all of both families.
    func bind(over interface: NetworkInterface?) -> EventLoopFuture<any Channel> {
        let port = Int(listener.requestedPort.rawValue)
        do {
            if case .unix(let path)? = parameters.requiredLocalEndpoint {
                return try stream(over: nil).bind(to: SocketAddress(unixDomainSocketPath: path))
            }
            if let host = parameters.requiredLocalEndpoint?.target?.host {
                return try bind(to: SocketAddress(host, listener.requestedPort), interface)
            }
            let any = try SocketAddress(ipAddress: "0.0.0.0", port: port)
            guard parameters.defaultProtocolStack.ip.version != .v4 else {
                return bind(to: any, interface)
            }
            let both = try SocketAddress(ipAddress: "::", port: port)
            return bind(to: both, interface).flatMapError { error in
                // A host without IPv6.
                guard [EAFNOSUPPORT, EADDRNOTAVAIL].contains((error as? IOError)?.errnoCode)
                else { return listener.loop.makeFailedFuture(error) }
                return bind(to: any, interface)
            }
        } catch {
            return listener.loop.makeFailedFuture(error)
        }
    }

    /// Ends accepting. Connections over UDP go on to use the socket.
    static func close(_ channel: any Channel) {
        channel.pipeline.handler(type: DatagramFlows.self).whenComplete { result in
            guard case .success(let flows) = result else { return channel.close(promise: nil) }
            flows.stop(channel)
        }
    }

    private func bind(
        to address: SocketAddress, _ interface: NetworkInterface?
    ) -> EventLoopFuture<any Channel> {
        parameters.defaultProtocolStack.isDatagram
            ? datagrams(over: interface).bind(to: address)
            : stream(over: interface).bind(to: address)
    }

    private func settings(over interface: NetworkInterface?) -> [SocketSetting] {
        SocketSetting.all(of: parameters, interface: interface)
            + (parameters.acceptLocalOnly ? [.local] : [])
    }

    private func stream(over interface: NetworkInterface?) -> ServerBootstrap {
        var bootstrap = ServerBootstrap(
            group: listener.loop, childGroup: MultiThreadedEventLoopGroup.singleton
        )
        // A port that was used a moment ago is free; Linux lets no two listeners share it.
        .serverChannelOption(SocketSetting.reuse.key, value: SocketSetting.reuse.value)
        .childChannelOption(.autoRead, value: false)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .enableMPTCP(parameters.usesMultipath)
        .childChannelInitializer { [listener] channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(Acceptor(listener))
            }
        }
        for option in settings(over: interface) {
            bootstrap = bootstrap.serverChannelOption(option.key, value: option.value)
        }
        return bootstrap
    }

    private func datagrams(over interface: NetworkInterface?) -> DatagramBootstrap {
        var bootstrap = DatagramBootstrap(group: listener.loop)
            .channelInitializer { [listener] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DatagramFlows(listener))
                }
            }
        for option in settings(over: interface) {
            bootstrap = bootstrap.channelOption(option.key, value: option.value)
        }
        return bootstrap
    }
}

/// Makes an accepted channel a connection.
private final class Acceptor: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let listener: NWListener

    init(_ listener: NWListener) { self.listener = listener }

    func channelActive(context: ChannelHandlerContext) {
        let connection = NWConnection(
            accepted: ChannelTransport(channel: context.channel), on: context.eventLoop,
            listener.parameters)
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandler(ConnectionHandler(connection))
            pipeline.removeHandler(context: context, promise: nil)
            listener.accept(connection)
        } catch {
            context.close(promise: nil)
        }
    }
}

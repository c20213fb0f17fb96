import FoundationEssentials
import NIOCore
import NIOTLS

/// Passes on what happens in a channel to its connection.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: NWConnection
    private var hasFailed = false

    init(_ connection: NWConnection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard connection.uses(context.channel) else { return }
        connection.take(Data(unwrapInboundIn(data).readableBytesView))
    }

    func channelReadComplete(context: ChannelHandlerContext) { connection.pump() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard connection.uses(context.channel) else { return }
        switch event {
        case ChannelEvent.inputClosed: connection.takeEnd()
        case TLSUserEvent.handshakeCompleted:
            // From now on the app decides when to read.
            try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            connection.becomeReady()
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hasFailed = true
        guard connection.uses(context.channel) else { return }
        connection.fail(NWError(error))
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !hasFailed, connection.uses(context.channel) { connection.takeEnd() }
    }
}

/// Takes datagrams of a connected socket out of their envelopes.
final class EnvelopeOpener: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias InboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(wrapInboundOut(unwrapInboundIn(data).data))
    }
}

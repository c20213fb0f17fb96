import FoundationEssentials
import NIOCore

/// Distributes the datagrams of a listener's socket to one connection per peer.
final class DatagramFlows: ChannelInboundHandler, Sendable {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    private struct State {
        var connections: [SocketAddress: NWConnection] = [:]
        var isStopped = false
    }

    private let listener: NWListener
    private let state: NIOLoopBoundBox<State>

    init(_ listener: NWListener) {
        self.listener = listener
        state = NIOLoopBoundBox(State(), eventLoop: listener.loop)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        let peer = envelope.remoteAddress
        if let connection = state.value.connections[peer] {
            return put(envelope.data, into: connection)
        }
        guard !state.value.isStopped, listener.newConnectionLimit > 0 else { return }
        let channel = context.channel
        let flow = DatagramFlow(channel: channel, peer: peer) { self.remove(peer, from: channel) }
        let connection = NWConnection(
            accepted: flow, on: listener.loop, listener.parameters)
        state.value.connections[peer] = connection
        put(envelope.data, into: connection)
        listener.accept(connection)
    }

    private func put(_ content: ByteBuffer, into connection: NWConnection) {
        connection.take(Data(content.readableBytesView))
        connection.pump()
    }

    /// No new peers from now on. The socket is closed with the last connection.
    func stop(_ channel: any Channel) {
        listener.loop.execute {
            self.state.value.isStopped = true
            if self.state.value.connections.isEmpty { channel.close(promise: nil) }
        }
    }

    private func remove(_ peer: SocketAddress, from channel: any Channel) {
        state.value.connections[peer] = nil
        if state.value.isStopped, state.value.connections.isEmpty { channel.close(promise: nil) }
    }
}

/// The datagrams between a listener's socket and one peer.
struct DatagramFlow: Transport {
    let channel: any Channel
    let peer: SocketAddress
    /// Called on the loop when the connection has ended.
    let ended: @Sendable () -> Void

    var localAddress: SocketAddress? { channel.localAddress }
    var remoteAddress: SocketAddress? { peer }

    /// The listener reads for all of them.
    func read() {}

    func send(_ content: ByteBuffer, flush: Bool) -> EventLoopFuture<Void> {
        let envelope = AddressedEnvelope(remoteAddress: peer, data: content)
        return flush ? channel.writeAndFlush(envelope) : channel.write(envelope)
    }

    func flush() { channel.flush() }

    func finish() -> EventLoopFuture<Void> { channel.eventLoop.makeSucceededVoidFuture() }

    func close() {
        channel.flush()
        channel.eventLoop.execute(ended)
    }

    func reset() { close() }
}

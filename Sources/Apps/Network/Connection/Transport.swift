import Glibc
import NIOCore
import NIOPosix

/// What carries the content of a connection.
protocol Transport: Sendable {
    var localAddress: SocketAddress? { get }
    var remoteAddress: SocketAddress? { get }
    /// Asks for content, once.
    func read()
    /// Sends content; the future is fulfilled when the kernel has accepted it.
    func send(_ content: ByteBuffer, flush: Bool) -> EventLoopFuture<Void>
    func flush()
    /// Sends nothing more (FIN).
    func finish() -> EventLoopFuture<Void>
    /// Closes after everything has been sent.
    func close()
    /// Closes at once.
    func reset()
}

/// A TCP connection or a connected UDP socket.
struct ChannelTransport: Transport {
    let channel: any Channel

    var localAddress: SocketAddress? { channel.localAddress }
    var remoteAddress: SocketAddress? { channel.remoteAddress }

    func read() { channel.read() }

    func send(_ content: ByteBuffer, flush: Bool) -> EventLoopFuture<Void> {
        flush ? channel.writeAndFlush(content) : channel.write(content)
    }

    func flush() { channel.flush() }

    func finish() -> EventLoopFuture<Void> { channel.close(mode: .output) }

    func close() {
        let channel = channel
        channel.flush()
        // A UDP socket has no end to announce.
        channel.close(mode: .output).whenComplete { _ in channel.close(promise: nil) }
    }

    func reset() {
        let channel = channel
        let reset = (channel as? any SocketOptionProvider)?
            .setSoLinger(linger(l_onoff: 1, l_linger: 0))
        (reset ?? channel.eventLoop.makeSucceededVoidFuture())
            .whenComplete { _ in channel.close(promise: nil) }
    }
}

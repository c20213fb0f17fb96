import NIOCore
import NIOHTTP1

/// What a client may take of time and memory.
struct RequestLimits: Sendable {
    /// From the first byte of a request to the end of its header, so that a client that sends it byte
    /// for byte does not hold a connection (slow loris).
    var header = TimeAmount.seconds(10)
    /// From the header to the end of the body.
    var body = TimeAmount.seconds(15)
    /// Between two requests.
    var idle = TimeAmount.seconds(60)
    /// The longest body, in bytes.
    var bodyBytes = 1 << 20
    /// The most connections at once.
    var connections = 512

    /// The limits of the header.
    var decoder: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16 << 10
        limits.maxHeaderListSize = 32 << 10
        limits.maxHeaderFieldCount = 100
        return limits
    }
}

/// Tells that bytes of a request have come, of which the decoder may not yet have made any part.
final class FirstByteWatch: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The event.
    struct BytesArrived: Sendable {}

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireUserInboundEventTriggered(BytesArrived())
        context.fireChannelRead(data)
    }
}

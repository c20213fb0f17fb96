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
    /// From a refusal to the client's end of the connection.
    var leaving = TimeAmount.seconds(2)
    /// How many bytes may arrive in that time.
    var leavingBytes = 8 << 20
    /// The longest body, in bytes.
    var bodyBytes = 1 << 20
    /// The most connections at once.
    var connections = 512

    /// The longest address, or field of the header, in bytes.
    var fieldBytes = 16 << 10
    /// The longest header, in bytes.
    var headerBytes = 32 << 10
    /// The most fields of a header.
    var fields = 100

    /// The limits of the header.
    var decoder: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = fieldBytes
        limits.maxHeaderListSize = headerBytes
        limits.maxHeaderFieldCount = fields
        return limits
    }

    /// What is wrong with a header above them.
    var headerText: String {
        "the header is too long: it may have \(headerBytes) bytes and \(fields) fields, and the address "
            + "and each field \(fieldBytes) bytes"
    }
}

/// Tells that bytes of a request have come, of which the decoder may not yet have made any part.
final class FirstByteWatch: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The event.
    struct BytesArrived: Sendable {
        var count: Int
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = unwrapInboundIn(data).readableBytes
        context.fireUserInboundEventTriggered(BytesArrived(count: count))
        context.fireChannelRead(data)
    }
}

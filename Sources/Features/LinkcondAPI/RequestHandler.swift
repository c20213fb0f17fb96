import HTTPAPI
import JSONReading
import NIOCore
import NIOHTTP1
import ProxyAPI

/// Reads the requests of one connection, one after the other, and writes their answers.
///
/// The pipeline gives the next request when the answer to the one before is written.
final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Phase {
        case idle, header, body, answering
        /// The last answer was written, and what still arrives is not looked at.
        case leaving
    }

    private let limits: RequestLimits
    private let respond: @concurrent @Sendable (APIRequest, String) async -> APIResponse
    private var phase = Phase.idle
    private var requests = 0
    private var isInputClosed = false
    private var deadline: Scheduled<Void>?
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var isTooLong = false
    /// The bytes that have arrived since the last answer.
    private var unread = 0
    private var answering: Task<Void, Never>?

    init(
        _ limits: RequestLimits,
        respond: @escaping @concurrent @Sendable (APIRequest, String) async -> APIResponse
    ) {
        self.limits = limits
        self.respond = respond
    }

    // MARK: Time

    func handlerAdded(context: ChannelHandlerContext) {
        enter(.header, context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let bytes = event as? FirstByteWatch.BytesArrived { arrived(bytes.count, context) }
        if case ChannelEvent.inputClosed = event {
            // A client that waits for an answer gets it; one that listens to events is gone.
            isInputClosed = true
            if phase == .answering { answering?.cancel() } else { context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func arrived(_ count: Int, _ context: ChannelHandlerContext) {
        switch phase {
        case .idle: enter(.header, context)
        case .leaving:
            unread += count
            if unread > limits.leavingBytes { context.close(promise: nil) }
        case .header, .body, .answering: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        answering?.cancel()
        context.fireChannelInactive()
    }

    private func enter(_ phase: Phase, _ context: ChannelHandlerContext) {
        self.phase = phase
        deadline?.cancel()
        let time =
            switch phase {
            case .idle: limits.idle
            case .header: limits.header
            case .body: limits.body
            // An answer takes as long as the proxy needs, and events have no end.
            case .answering: TimeAmount?.none
            case .leaving: limits.leaving
            }
        deadline = time.map { time in
            context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in
                // Before there is a request, HTTP has no answer to it.
                guard self.phase == .body else { return context.close(promise: nil) }
                refuse(.requestTimeout, "the request took too long to arrive", context)
            }
        }
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            requests += 1
            body = []
            isTooLong = false
            enter(.body, context)
            if let length = head.headers.first(name: "content-length").flatMap({ Int($0) }),
                length > limits.bodyBytes
            {
                refuseBody(context)
            } else if head.headers.first(name: "expect")?.lowercased() == "100-continue" {
                let head = HTTPResponseHead(version: head.version, status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
            }
        case .body(let buffer):
            guard !isTooLong else { return }
            guard body.count + buffer.readableBytes <= limits.bodyBytes else {
                return refuseBody(context)
            }
            body += buffer.readableBytesView
        case .end:
            guard !isTooLong, let head else { return }
            answer(head, context)
        }
    }

    private func refuseBody(_ context: ChannelHandlerContext) {
        isTooLong = true
        refuse(
            .payloadTooLarge, "the body is longer than \(limits.bodyBytes) bytes", context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else {
            // Of the socket or of TLS: there is nobody to be told.
            if phase != .leaving { context.close(promise: nil) }
            return
        }
        // Nothing is said to what follows the last request.
        guard phase != .leaving, phase != .answering || head?.isKeepAlive == true else { return }
        // The answer before has been written, and need not wait for another request any more.
        requests += 1
        switch error {
        case .headerOverflow:
            refuse(.requestHeaderFieldsTooLarge, limits.headerText, context)
        default:
            refuse(.badRequest, error.cause, context)
        }
    }

    /// Answers without reading the rest, and closes.
    private func refuse(
        _ status: HTTPResponseStatus, _ message: String, _ context: ChannelHandlerContext
    ) {
        enter(.leaving, context)
        let value: JSONValue = [
            "error": .string(message), "status": .integer(status.code),
        ]
        let bytes = Array(value.description.utf8)
        let head = HTTPResponseHead(
            version: .http1_1, status: status,
            headers: [
                "content-type": "application/json", "content-length": "\(bytes.count)",
                "connection": "close",
            ])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.value.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            // A connection that is closed with unread bytes is reset, and its client may lose the
            // answer (RFC 9112, section 9.6): the client's end, or a deadline, closes the rest.
            context.value.close(mode: .output, promise: nil)
        }
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        enter(.answering, context)
        let request = APIRequest(
            head.method.rawValue, head.uri,
            headers: Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) {
                "\($0), \($1)"
            }, body: body)
        body = []
        let source = context.remoteAddress?.ipAddress ?? "local"
        let channel = context.channel
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let isLast = !head.isKeepAlive
        let number = requests
        let finish: @Sendable () -> Void = {
            let (handler, context) = bound.value
            // The next request may have come with this one.
            guard context.channel.isActive, handler.requests == number else { return }
            if handler.isInputClosed { return context.close(promise: nil) }
            handler.enter(.idle, context)
        }
        answering = Self.answer(request, source, channel, isLast, respond, finish)
    }

    private static func answer(
        _ request: APIRequest, _ source: String, _ channel: any Channel, _ isLast: Bool,
        _ respond: @escaping @concurrent @Sendable (APIRequest, String) async -> APIResponse,
        _ finish: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        Task.detached {
            let response = await respond(request, source)
            do {
                try await write(response, to: channel, closing: isLast)
                channel.eventLoop.execute(finish)
            } catch {
                // The client is gone.
            }
        }
    }

    // MARK: Answers

    @concurrent private static func write(
        _ response: APIResponse, to channel: any Channel, closing isLast: Bool
    ) async throws {
        var headers = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
        headers.add(name: "x-content-type-options", value: "nosniff")
        var isLast = isLast
        let status = HTTPResponseStatus(statusCode: response.status)
        switch response.content {
        case .bytes(let bytes):
            if response.status != 204 {
                headers.add(name: "content-length", value: "\(bytes.count)")
            }
            if isLast { headers.add(name: "connection", value: "close") }
            let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
            channel.write(HTTPServerResponsePart.head(head), promise: nil)
            if !bytes.isEmpty {
                let body = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: bytes)))
                channel.write(body, promise: nil)
            }
        case .events(let events):
            isLast = true
            headers.add(name: "connection", value: "close")
            let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
            try await channel.writeAndFlush(HTTPServerResponsePart.head(head))
            for await event in events {
                let body = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: event)))
                try await channel.writeAndFlush(body)
            }
        }
        try await channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        if isLast { try await channel.close() }
    }
}

extension HTTPParserError {
    /// What is wrong with a request, as a sentence.
    fileprivate var cause: String {
        switch self {
        // Of the parser's own states; HTTP/2 is told like this.
        case .invalidConstant, .invalidInternalState, .strictModeAssertion, .paused, .unknown:
            "the request is no HTTP/1.1"
        default: "the request is no HTTP/1.1: \(debugDescription)"
        }
    }
}

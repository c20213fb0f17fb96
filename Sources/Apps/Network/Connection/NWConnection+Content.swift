public import FoundationEssentials
import Glibc
import NIOCore
import Synchronization

extension NWConnection {
    /// Sends content. A stream ends with a context that is final and `isComplete`; a datagram with
    /// `isComplete`.
    ///
    /// - Parameter content: Nil to send the end alone.
    public func send(
        content: Data?, contentContext: ContentContext = .defaultMessage, isComplete: Bool = true,
        completion: SendCompletion
    ) {
        let isDatagram = parameters.defaultProtocolStack.isDatagram
        let message = Outbox.Message(
            content: content ?? Data(), isLast: isComplete && contentContext.isFinal,
            completions: [completion])
        loop.execute {
            if case .failed(let error) = self.state {
                return self.deliver { message.complete(error) }
            }
            guard self.state != .cancelled else {
                return self.deliver { message.complete(.posix(.ECANCELED)) }
            }
            let isTaken = self.status.withLock { status in
                guard !status.outbox.hasEnded else { return false }
                status.outbox.put(message, isComplete: isComplete, isDatagram: isDatagram)
                return true
            }
            guard isTaken else { return self.deliver { message.complete(.posix(.EPIPE)) } }
            self.sendWaiting()
        }
    }

    /// Sends content.
    public func send<Content: DataProtocol>(
        content: Content?, contentContext: ContentContext = .defaultMessage,
        isComplete: Bool = true, completion: SendCompletion
    ) {
        send(
            content: content.map { Data($0) }, contentContext: contentContext,
            isComplete: isComplete, completion: completion)
    }

    /// Receives content: of a stream, between `minimumIncompleteLength` and `maximumLength` bytes,
    /// less at its end; otherwise a datagram.
    ///
    /// - Parameter completion: Receives the content, its context, whether the stream or the
    ///   datagram is complete with it, and an error.
    @preconcurrency public func receive(
        minimumIncompleteLength: Int, maximumLength: Int,
        completion:
            @escaping @Sendable (
                _ content: Data?, _ contentContext: ContentContext?, _ isComplete: Bool,
                _ error: NWError?
            ) -> Void
    ) {
        ask(
            Inbox.Request(
                minimum: minimumIncompleteLength, maximum: max(1, maximumLength),
                completion: completion))
    }

    /// Receives a datagram, or everything until the end of a stream.
    @preconcurrency public func receiveMessage(
        completion:
            @escaping @Sendable (
                _ completeContent: Data?, _ contentContext: ContentContext?, _ isComplete: Bool,
                _ error: NWError?
            ) -> Void
    ) {
        ask(Inbox.Request(minimum: 1, maximum: .max, isMessage: true, completion: completion))
    }

    /// Sends what `block` hands over with as few packets as possible.
    public func batch(_ block: () -> Void) {
        loop.execute { self.status.withLock { $0.outbox.batches += 1 } }
        block()
        loop.execute {
            let transport = self.status.withLock { status in
                status.outbox.batches -= 1
                return status.transport
            }
            transport?.flush()
        }
    }

    private func ask(_ request: Inbox.Request) {
        loop.execute {
            self.status.withLock { $0.inbox.ask(request) }
            self.pump()
        }
    }
}

// All of this runs on the connection's event loop.
extension NWConnection {
    func take(_ data: Data) { status.withLock { $0.inbox.put(data) } }

    func takeEnd() {
        guard state == .ready else {
            // The other end has gone before the connection was there, for example during the
            // handshake of TLS.
            if state == .preparing, status.withLock({ $0.transport != nil }) {
                fail(.posix(.ECONNRESET))
            }
            return
        }
        status.withLock { $0.inbox.end() }
        pump()
    }

    /// Answers requests for content, and reads on if some remain.
    func pump() {
        let (deliveries, wantsMore, transport) = status.withLock { status in
            (status.inbox.takeDeliveries(), status.inbox.wantsMore, status.transport)
        }
        for delivery in deliveries { deliver { delivery() } }
        if wantsMore, state == .ready { transport?.read() }
    }

    /// Sends what waits, once the connection is ready.
    func sendWaiting() {
        guard state == .ready else { return }
        let (messages, transport, isBatch) = status.withLock { status in
            (status.outbox.take(), status.transport, status.outbox.batches > 0)
        }
        for message in messages {
            guard let transport else {
                deliver { message.complete(.posix(.ENOTCONN)) }
                continue
            }
            send(message, by: transport, flush: !isBatch)
        }
    }

    private func send(_ message: Outbox.Message, by transport: any Transport, flush: Bool) {
        let isDatagram = parameters.defaultProtocolStack.isDatagram
        // A datagram may be empty; of a stream, only its end has nothing to carry.
        let isNothing = message.content.isEmpty && !isDatagram
        let sent =
            isNothing
            ? loop.makeSucceededVoidFuture()
            : transport.send(ByteBuffer(bytes: message.content), flush: flush || message.isLast)
        sent.whenComplete { result in
            switch result {
            case .success: self.deliver { message.complete(nil) }
            case .failure(let error):
                let error = NWError(error)
                self.deliver { message.complete(error) }
            }
        }
        guard message.isLast, !isDatagram else { return }
        _ = transport.finish()
    }
}

import Dispatch
import Glibc
import NIOCore
import NetworkPath
import Synchronization

// All of this runs on the connection's event loop.
extension NWConnection {
    /// Calls the app on its queue.
    func deliver(_ body: @escaping @Sendable () -> Void) {
        status.withLock { $0.deliveries }?.async(execute: body)
    }

    func enter(_ new: State) {
        let isNew = status.withLock { status in
            defer { status.state = new }
            return status.state != new
        }
        if isNew { deliver { self.stateUpdateHandler?(new) } }
    }

    /// Whether it has failed or was cancelled.
    var hasEnded: Bool {
        switch state {
        case .failed, .cancelled: true
        case .setup, .waiting, .preparing, .ready: false
        }
    }

    func begin() {
        guard !hasEnded else { return }
        let number = SharedPathWatch.shared.add { path in
            self.loop.execute { self.take(path) }
        }
        status.withLock { $0.watch = number }
        if isAccepted { prepareAccepted() } else { connect() }
    }

    /// The connection carries content from now on.
    func becomeReady() {
        guard state == .preparing else { return }
        let (path, interface) = currentView()
        status.withLock { status in
            (status.path, status.interface) = (path.map(\.app), interface)
            status.outlook = .init()
        }
        if let app = path?.app { deliver { self.pathUpdateHandler?(app) } }
        enter(.ready)
        deliver { self.viabilityUpdateHandler?(true) }
        if let network = path?.network { judge(network) }
        sendWaiting()
        pump()
    }

    func fail(_ error: NWError) {
        guard !hasEnded else { return }
        // Content that arrived before the error is delivered first.
        status.withLock { $0.inbox.fail(error) }
        end(.failed(error)) { $0.reset() }
    }

    /// Ends the connection. Requests that are open end with an error.
    func end(_ last: State, closing close: (any Transport) -> Void) {
        guard !hasEnded else { return }
        let hasBegun = queue != nil
        let transport = withdraw()
        let watch = status.withLock { status in
            if last == .cancelled { status.inbox.discard() }
            status.inbox.fail(.posix(.ECANCELED))
            return status.watch.take()
        }
        if let watch { SharedPathWatch.shared.remove(watch) }
        let (answers, unsent) = status.withLock { status in
            (status.inbox.takeDeliveries(), status.outbox.takeAll())
        }
        let error: NWError = if case .failed(let error) = last { error } else { .posix(.ECANCELED) }
        for answer in answers { deliver { answer() } }
        for message in unsent { deliver { message.complete(error) } }
        if let transport { close(transport) }
        enter(last)
        guard hasBegun else { return }
        // Handlers often refer to the connection.
        deliver { self.status.withLock { $0.handlers = Handlers() } }
    }

    /// Whether `channel` carries the connection, rather than one that was given up.
    func uses(_ channel: any Channel) -> Bool {
        (status.withLock { $0.transport } as? ChannelTransport)?.channel === channel
    }

    /// Takes the transport and the attempts out of use.
    func withdraw() -> (any Transport)? {
        let (transport, dial) = status.withLock { ($0.transport.take(), $0.dial.take()) }
        dial?.cancel()
        return transport
    }
}

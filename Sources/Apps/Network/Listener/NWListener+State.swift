import Dispatch
import Glibc
import NIOCore
import NetworkPath
import Synchronization

// All of this runs on the listener's event loop.
extension NWListener {
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

    var hasEnded: Bool {
        switch state {
        case .failed, .cancelled: true
        case .setup, .waiting, .ready: false
        }
    }

    func begin() {
        guard !hasEnded else { return }
        guard newConnectionHandler != nil else { return end(.failed(.posix(.EINVAL))) }
        let stack = parameters.defaultProtocolStack
        guard !(stack.isDatagram && stack.isSecure), stack.applicationProtocols.count < 2 else {
            return end(.failed(.posix(.EOPNOTSUPP)))
        }
        if let tls = stack.tls {
            do {
                _ = try SecureChannel.serverHandler(tls)
            } catch {
                return end(.failed(NWError(error)))
            }
        }
        guard InterfaceRules(parameters).isBound else { return bind(over: nil) }
        let number = SharedPathWatch.shared.add { path in
            self.loop.execute { self.take(path) }
        }
        status.withLock { $0.watch = number }
        if let path = try? NetworkPath.current() { take(path) }
    }

    /// Binds to the required interface as soon as it is there.
    private func take(_ path: NetworkPath) {
        let isBound = status.withLock { $0.socket != nil || $0.isBinding }
        guard !hasEnded, !isBound else { return }
        let rules = InterfaceRules(parameters)
        guard let interface = path.interfaces.first(where: { $0.isUp && rules.permits($0) }) else {
            return enter(.waiting(.posix(.ENETDOWN)))
        }
        bind(over: interface)
    }

    private func bind(over interface: NetworkInterface?) {
        status.withLock { $0.isBinding = true }
        ListeningSocket(self).bind(over: interface).hop(to: loop).whenComplete { result in
            self.status.withLock { $0.isBinding = false }
            switch result {
            case .success(let channel):
                guard !self.hasEnded else { return channel.close(promise: nil) }
                self.status.withLock { $0.socket = channel }
                self.enter(.ready)
            case .failure(let error): self.end(.failed(NWError(error)))
            }
        }
    }

    func end(_ last: State) {
        guard !hasEnded else { return }
        let (socket, watch, held) = status.withLock { status in
            defer { status.held = [] }
            return (status.socket.take(), status.watch.take(), status.held)
        }
        if let watch { SharedPathWatch.shared.remove(watch) }
        for connection in held { connection.forceCancel() }
        if let socket { ListeningSocket.close(socket) }
        enter(last)
        deliver {
            self.status.withLock { ($0.stateHandler, $0.connectionHandler) = (nil, nil) }
        }
    }

    /// Takes a connection, from any event loop.
    func accept(_ connection: NWConnection) {
        loop.execute {
            let isFull = self.status.withLock { $0.held.count >= Self.mostHeld }
            guard !self.hasEnded, !isFull, self.permits(connection) else {
                return connection.forceCancel()
            }
            self.status.withLock { $0.held.append(connection) }
            self.offer()
        }
    }

    /// Hands over as many connections as the limit permits.
    func offer() {
        let connections = status.withLock { status in
            let count = min(status.held.count, max(0, status.limit))
            if status.limit != Self.InfiniteConnectionLimit { status.limit -= count }
            defer { status.held.removeFirst(count) }
            return Array(status.held.prefix(count))
        }
        for connection in connections {
            deliver {
                guard let handler = self.newConnectionHandler else {
                    return connection.forceCancel()
                }
                handler(connection)
            }
        }
    }

    /// Whether a connection has come over an interface that may be used.
    private func permits(_ connection: NWConnection) -> Bool {
        let rules = InterfaceRules(parameters)
        let (view, interface) = connection.currentView()
        let now = view?.network.interfaces.first { $0.index == interface?.index }
        guard now.map(rules.permits) ?? true else { return false }
        guard parameters.acceptLocalOnly, let (local, remote) = connection.hosts else {
            return true
        }
        return remote.mayBeNeighbor(of: local)
    }
}

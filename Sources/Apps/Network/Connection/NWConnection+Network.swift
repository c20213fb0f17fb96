import NetworkPath
import Synchronization

// All of this runs on the connection's event loop.
extension NWConnection {
    /// A state of the network, and what the app sees of it.
    struct View {
        let network: NetworkPath
        let app: NWPath
    }

    /// A new state of the network.
    func take(_ path: NetworkPath) {
        guard !hasEnded else { return }
        let (interface, dialled, isDialling) = status.withLock { status in
            (status.interface, status.dialledPath, status.dial != nil)
        }
        show(view(of: path, over: interface).app)
        switch state {
        case .waiting: retry(on: path, after: dialled)
        case .preparing where isDialling: redial(on: path, after: dialled)
        case .ready: judge(path)
        case .setup, .preparing, .failed, .cancelled: break
        }
    }

    /// Begins anew if the interfaces to try are others now.
    private func redial(on path: NetworkPath, after dialled: NetworkPath?) {
        let candidates = candidates(on: path)
        guard let dialled, candidates != self.candidates(on: dialled) else { return }
        connect()
    }

    /// Tells the app what the network means for the connection.
    func judge(_ path: NetworkPath) {
        guard let interface = status.withLock({ $0.interface }) else { return }
        let outlook = rules.outlook(
            on: path, over: interface,
            isMultipath: parameters.multipathServiceType != .disabled)
        let old = status.withLock { status in
            defer { status.outlook = outlook }
            return status.outlook
        }
        if outlook.isViable != old.isViable {
            deliver { self.viabilityUpdateHandler?(outlook.isViable) }
        }
        if outlook.hasBetter != old.hasBetter {
            deliver { self.betterPathUpdateHandler?(outlook.hasBetter) }
        }
    }

    /// The network at this moment, and the interface of the connection; nil within this host.
    func currentView() -> (View?, NetworkInterface?) {
        let bound = status.withLock { $0.interface }
        guard let path = try? NetworkPath.current() else { return (nil, bound) }
        let interface = bound ?? owner(on: path)
        return (view(of: path, over: interface), interface)
    }

    /// The interface that has the local address, unless both ends are this host's.
    private func owner(on path: NetworkPath) -> NetworkInterface? {
        guard let (local, _) = hosts, !staysInHost else { return nil }
        return path.interfaces.first { $0.addresses.contains(local.lookup) }
    }

    /// The hosts at both ends, once they are known.
    var hosts: (local: NWEndpoint.Host, remote: NWEndpoint.Host)? {
        let ends = status.withLock { [$0.transport?.localAddress, $0.transport?.remoteAddress] }
            .compactMap { $0.flatMap { NWEndpoint($0) }?.target?.host }
        return ends.count == 2 ? (ends[0], ends[1]) : nil
    }

    /// Whether both ends are this host's.
    private var staysInHost: Bool {
        hosts.map { $0.local.isLocal || $0.local == $0.remote } ?? false
    }

    private func view(of path: NetworkPath, over interface: NetworkInterface?) -> View {
        let transport = status.withLock { $0.transport }
        let loopback = staysInHost ? path.interfaces.first { $0.kind == .loopback } : nil
        let app = NWPath(
            rules.view(of: path, over: interface ?? loopback),
            local: transport?.localAddress.flatMap { NWEndpoint($0) },
            remote: transport?.remoteAddress.flatMap { NWEndpoint($0) } ?? endpoint)
        return View(network: path, app: app)
    }

    /// Tells the app of a path that it does not know.
    private func show(_ path: NWPath) {
        let isNew = status.withLock { status in
            defer { status.path = path }
            return status.path != path
        }
        if isNew { deliver { self.pathUpdateHandler?(path) } }
    }
}

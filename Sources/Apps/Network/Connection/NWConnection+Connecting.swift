import Glibc
import LinuxKernel
import NIOCore
import NIOPosix
import NIOSSL
import NetworkPath
import Synchronization

// All of this runs on the connection's event loop.
extension NWConnection {
    var rules: InterfaceRules { InterfaceRules(parameters) }

    /// Connects over a permitted network, or waits for one.
    func connect() {
        let stack = parameters.defaultProtocolStack
        guard !(stack.isDatagram && stack.isSecure), stack.applicationProtocols.count < 2 else {
            return fail(.posix(.EOPNOTSUPP))
        }
        if case .service = endpoint { return fail(.posix(.EOPNOTSUPP)) }
        withdraw()?.close()
        let path = try? NetworkPath.current()
        let candidates = path.map(candidates) ?? [nil]
        status.withLock { status in
            status.dialledPath = path
            status.path = path.map { NWPath(rules.view(of: $0), remote: endpoint) }
        }
        guard !candidates.isEmpty else { return enter(.waiting(.posix(.ENETDOWN))) }
        enter(.preparing)
        let delay = parameters.multipathServiceType == .disabled ? 2000 : 250
        let dialer = Dialer(endpoint, parameters, on: loop)
        let dial = Dial(
            candidates, on: loop, delay: .milliseconds(Int64(delay)), connect: dialer.connect
        ) { result in
            switch result {
            case .success(let success): self.adopt(success)
            case .failure(let error): self.wait(error)
            }
        }
        status.withLock { $0.dial = dial }
        dial.start()
    }

    /// The ways to the endpoint, most preferred first; one of them is nil within this host.
    func candidates(on path: NetworkPath) -> [NetworkInterface?] {
        guard let host = endpoint.target?.host, !host.isLocal else { return [nil] }
        // Traffic to this host's own addresses uses no network.
        let address = host.lookup
        guard !path.interfaces.contains(where: { $0.addresses.contains(address) }) else {
            return [nil]
        }
        return rules.candidates(on: path)
    }

    /// Waits for another path, unless there already is one.
    private func wait(_ error: NWError) {
        let dialled = status.withLock { status in
            status.dial = nil
            return status.dialledPath
        }
        enter(.waiting(error))
        if let now = try? NetworkPath.current() { retry(on: now, after: dialled) }
    }

    /// Connects again if the network has changed.
    func retry(on path: NetworkPath, after dialled: NetworkPath?) {
        guard path != dialled, !candidates(on: path).isEmpty else { return }
        connect()
    }

    private func adopt(_ success: Dial.Success) {
        let channel = success.channel
        status.withLock { status in
            status.dial = nil
            status.transport = ChannelTransport(channel: channel)
            status.interface = success.interface
        }
        do {
            let pipeline = channel.pipeline.syncOperations
            if parameters.defaultProtocolStack.isDatagram {
                try pipeline.addHandler(EnvelopeOpener())
            }
            try pipeline.addHandler(ConnectionHandler(self))
            guard let tls = parameters.defaultProtocolStack.tls else { return becomeReady() }
            let handler = try SecureChannel.clientHandler(tls, host: endpoint.target?.host)
            try secure(channel, handler)
        } catch {
            fail(NWError(error))
        }
    }

    /// Prepares a connection that a listener has accepted.
    func prepareAccepted() {
        enter(.preparing)
        let transport = status.withLock { $0.transport }
        guard let tls = parameters.defaultProtocolStack.tls,
            let channel = (transport as? ChannelTransport)?.channel
        else { return becomeReady() }
        do {
            try secure(channel, SecureChannel.serverHandler(tls))
        } catch {
            fail(NWError(error))
        }
    }

    /// Begins the handshake. `becomeReady` follows when it is over.
    private func secure(_ channel: any Channel, _ handler: NIOSSLHandler) throws {
        try channel.pipeline.syncOperations.addHandler(handler, position: .first)
        // The handshake has to read without being asked.
        try channel.syncOptions?.setOption(.autoRead, value: true)
        channel.read()
    }
}

import LinuxKernel
import ProxyProtocols
import SystemPackage
import Uplink

extension StreamConnection {
    /// Connects to a target, and then does what `completion` says.
    func connect(to wanted: TargetAddress, then completion: any ConnectionOutcome, at now: Duration)
    {
        self.wanted = wanted
        self.completion = completion
        deadline = now + Self.connectTimeout
        switch wanted {
        case .endpoint(let endpoint):
            phase = .connecting(untried: context.reachable(endpoint)[...])
            tryNext(at: now)
        case .name(let name, let port):
            guard !wanted.isLoopback else {
                phase = .connecting(untried: context.loopback(port: port)[...])
                return tryNext(at: now)
            }
            lookUp(name, port: port, at: now)
        case .local(let path): connectLocally(path, at: now)
        }
    }

    private func lookUp(_ name: String, port: UInt16, at now: Duration) {
        let files = service.files.current(at: now)
        if let known = NameLookup.known(name, files) {
            return tryAll(of: known, port: port, at: now)
        }
        let lookup = NameLookup(name, files, context) { [weak self] result, now in
            guard let self, case .resolving = self.phase else { return }
            switch result {
            case .success(let addresses): self.tryAll(of: addresses, port: port, at: now)
            case .failure(let failure):
                self.fail(
                    ConnectFailure(
                        unresolved: .name(name, port: port), failure.reason,
                        isSilent: failure.isSilent), at: now)
            }
        }
        phase = .resolving(lookup)
        lookup.start(at: now)
    }

    private func tryAll(of addresses: [IPAddress], port: UInt16, at now: Duration) {
        let endpoints = addresses.flatMap { context.reachable(Endpoint($0, port: port)) }
        phase = .connecting(untried: endpoints[...])
        tryNext(at: now)
    }

    private func connectLocally(_ path: String, at now: Duration) {
        do throws(Errno) {
            let target = StreamRelay.Side(try StreamSocket(connectingToPath: path))
            target.token = try context.events.watch(
                target.socket.descriptor, .edge, for: self)
            self.target = target
            hasConnected(to: target, at: now)
        } catch {
            fail(ConnectFailure(.local(path: path), error), at: now)
        }
    }

    /// Tries the next endpoint of the target.
    func tryNext(at now: Duration) {
        while case .connecting(var untried) = phase, let endpoint = untried.popFirst() {
            phase = .connecting(untried: untried)
            do throws(Errno) {
                let target =
                    context.isOnHost
                    ? try StreamRelay.Side(connectingTo: endpoint)
                    : StreamRelay.Side(
                        try StreamSocket(
                            connectingTo: endpoint, unsentLimit: StreamRelay.Side.leastUnsent))
                target.token = try context.events.watch(
                    target.socket.descriptor, .edge, for: self)
                self.target = target
                return
            } catch {
                failure = error
            }
        }
        guard let wanted else { return abort() }
        fail(
            failure.isLackOfDescriptors ? .noDescriptors : ConnectFailure(wanted, failure), at: now)
    }

    func finishConnecting(at now: Duration) {
        guard let target else { return }
        do throws(Errno) {
            let (ready, clientReady) = try StreamSocket.readiness(
                of: target.socket, and: client.socket)
            // The event may have been the client's.
            guard ready.isWritable else {
                if clientReady.hasEnded { try client.socket.checkError() }
                return
            }
        } catch {
            return abort()
        }
        do throws(Errno) {
            try target.socket.checkError()
        } catch {
            context.events.forget(target.token)
            self.target = nil
            failure = error
            return tryNext(at: now)
        }
        hasConnected(to: target, at: now)
    }

    private func hasConnected(to target: StreamRelay.Side, at now: Duration) {
        guard let completion else { return abort() }
        self.completion = nil
        completion.succeeded(self, target, at: now)
    }

    private func fail(_ failure: ConnectFailure, at now: Duration) {
        service.count(failure)
        guard let completion else { return abort() }
        self.completion = nil
        completion.failed(self, failure, at: now)
    }
}

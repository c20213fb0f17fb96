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
        let found = context.find(wanted, service.files.current(at: now)) {
            [weak self] result, now in
            guard let self, case .resolving = self.phase else { return }
            switch result {
            case .success(let endpoints): self.tryAll(of: endpoints, at: now)
            case .failure(let failure):
                self.fail(
                    ConnectFailure(
                        unresolved: wanted, failure.reason, isSilent: failure.isSilent), at: now)
            }
        }
        switch found {
        case .endpoints(let endpoints): tryAll(of: endpoints, at: now)
        case .path(let path): connectLocally(path, at: now)
        case .question(let lookup):
            phase = .resolving(lookup)
            lookup.start(at: now)
        }
    }

    private func tryAll(of endpoints: [Endpoint], at now: Duration) {
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

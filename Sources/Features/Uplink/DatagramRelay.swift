import LinkModel
import LinuxKernel
import SystemPackage

/// Relays UDP and ICMP echo through host sockets until they are idle.
///
/// Theory of operation. Each port of the app has a port of the host. All its datagrams leave from
/// there, whatever the destination, and it accepts datagrams from everyone, as if the app ran on
/// the host itself: endpoint-independent mapping and filtering (RFC 4787). DNS queries have their
/// own sockets, so that failing name servers can be told from working ones.
final class DatagramRelay {
    private let host: HostMapping
    private let outlets: DatagramOutlets
    private let losses: LossTally
    private let foreign: ForeignProtocols
    private let answer: ([UInt8], IPAddress) -> Void
    private let trains: AppTrains
    private var backlog = DatagramBacklog()
    private var room = DatagramRoom()
    private var identification: UInt32 = 0

    /// How long datagrams are forwarded before sockets are read again: less than a burst takes to
    /// fill a socket buffer.
    private static let turn = Duration.microseconds(100)

    init(
        host: HostMapping, outlets: DatagramOutlets, losses: LossTally, foreign: ForeignProtocols,
        trains: AppTrains, answer: @escaping ([UInt8], IPAddress) -> Void
    ) {
        self.host = host
        self.outlets = outlets
        self.losses = losses
        self.foreign = foreign
        self.trains = trains
        self.answer = answer
    }

    // MARK: Reading

    /// Receives UDP datagrams of the app.
    func receive(from family: RelaySockets.Family) {
        while backlog.hasRoom, let datagrams = try? family.datagrams.receive(into: &room) {
            backlog.append(datagrams)
            if datagrams.count < DatagramRoom.capacity { return }
        }
    }

    /// Receives from a host socket.
    func receive(by outlet: DatagramOutlet, at now: Duration) {
        do {
            while backlog.hasRoom {
                let datagrams = try outlet.socket.receive(into: &room)
                outlet.lastUse = now
                backlog.append(datagrams, from: outlet)
                if datagrams.count < DatagramRoom.capacity { return }
            }
        } catch {
            handle(error, of: outlet, at: now)
        }
    }

    /// Whether work remains that no event will announce.
    var hasQueued: Bool { !backlog.isEmpty }

    /// Whether some of it is from the app.
    var hasQueuedFromApp: Bool { backlog.countFromApp > 0 }

    /// Forwards some of the datagrams read.
    func continueQueued(at now: Duration) {
        let clock = ContinuousClock()
        let end = clock.now + Self.turn
        repeat {
            guard let item = backlog.popFirst() else { return }
            let datagram = item.datagram
            if let outlet = item.outlet {
                deliver(backlog.popTrain(behind: item), by: outlet, at: now)
            } else if host.isResolver(datagram.destination) {
                ask(datagram, at: now)
            } else {
                forward(backlog.popTrain(behind: item), at: now)
            }
        } while clock.now < end
    }

    // MARK: From the app

    /// Forwards datagrams that can leave together.
    private func forward(_ train: [Datagram], at now: Duration) {
        guard !sendAtOnce(train, at: now) else { return }
        for datagram in train { forward(datagram, at: now) }
    }

    /// Returns false if nothing was sent: each datagram is to be sent by itself then, and its error told.
    private func sendAtOnce(_ train: [Datagram], at now: Duration) -> Bool {
        guard train.count > 1, let first = train.first, let last = train.last,
            let (outlet, target) = try? way(of: last, at: now), outlet.takesTrains
        else { return false }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(train.count * first.payload.count)
        for datagram in train { bytes += datagram.payload }
        do {
            try outlet.socket.send(
                bytes, inDatagramsOf: UInt16(first.payload.count), to: target)
            remember(train, sentTo: target, by: outlet)
            return true
        } catch {
            // Datagrams too long for the way's MTU, or an interface that computes no checksums.
            outlet.takesTrains = ![.invalidArgument, .ioError, .messageTooLong].contains(error)
            return false
        }
    }

    private func forward(_ datagram: Datagram, at now: Duration) {
        do throws(Errno) {
            let (outlet, target) = try way(of: datagram, at: now)
            do throws(Errno) {
                try send(datagram, to: target, by: outlet)
            } catch {
                // It may be the error of an earlier datagram, reported only now.
                guard takeFailures(of: outlet, at: now) else { throw error }
                let (outlet, target) = try way(of: datagram, at: now)
                try send(datagram, to: target, by: outlet)
            }
        } catch {
            report(error, datagram.sender, datagram.destination)
        }
    }

    private func send(
        _ datagram: Datagram, to target: Endpoint, by outlet: DatagramOutlet
    ) throws(Errno) {
        try outlet.socket.send(datagram.payload, to: target)
        remember([datagram], sentTo: target, by: outlet)
    }

    /// Keeps what the other loopback gets if this one refuses it.
    private func remember(_ train: [Datagram], sentTo target: Endpoint, by outlet: DatagramOutlet) {
        guard outlet.isOfAppsFamily, host.otherLoopback(of: target) != nil else { return }
        outlet.addUnanswered(train.map(\.payload), to: target)
    }

    /// The outlet for a datagram, and where it is to send it.
    private func way(
        of datagram: Datagram, at now: Duration
    ) throws(Errno) -> (DatagramOutlet, Endpoint) {
        let app = datagram.sender
        let target = host.endpoints(for: datagram.destination)[0]
        let outlet = try outlets.open(.port(of: app, isIPv6: target.address.isIPv6), at: now)
        guard let other = host.otherLoopback(of: target) else { return (outlet, target) }
        outlet.gateway = datagram.destination.address
        guard outlet.crossedPorts.contains(target.port) else { return (outlet, target) }
        let crossing = try outlets.open(.port(of: app, isIPv6: other.address.isIPv6), at: now)
        crossing.gateway = outlet.gateway
        return (crossing, other)
    }

    /// Handles the app's echo request.
    func handle(_ request: RequestPacket, at now: Duration) {
        let destination = request.destination.address
        do throws(Errno) {
            let outlet = try outlets.open(.echoes(of: request.source, to: destination), at: now)
            do throws(Errno) {
                try outlet.socket.send(echo: Array(request.message))
            } catch {
                // It may be the error of an earlier request, reported only now.
                guard takeFailures(ofEchoesBy: outlet) else { throw error }
                try outlet.socket.send(echo: Array(request.message))
            }
            outlet.add(echo: request)
        } catch {
            if error == .notPermitted { foreign.noteForbiddenEcho() }
            report(error, request)
        }
    }

    // MARK: To the app

    /// Delivers datagrams of one sender.
    private func deliver(_ train: [Datagram], by outlet: DatagramOutlet, at now: Duration) {
        outlet.forgetUnanswered(to: train[0].sender)
        if train.count > 1, case .port(let app, _) = outlet.use,
            let source = source(of: train[0], by: outlet),
            trains.send(train, from: source, to: app, at: now)
        {
            return
        }
        for datagram in train { deliver(datagram, by: outlet) }
    }

    private func deliver(_ datagram: Datagram, by outlet: DatagramOutlet) {
        let packet: [UInt8]
        switch outlet.use {
        case .port(let app, _):
            guard let source = source(of: datagram, by: outlet) else { return }
            packet = IPPacket.datagram(from: source, to: app, payload: datagram.payload[...])
        case .questions(let app, let nameServer):
            outlet.question = nil
            packet = IPPacket.datagram(
                from: nameServer, to: app, payload: datagram.payload[...])
        case .echoes(let app, let address):
            guard let message = outlet.socket.echoReply(in: datagram), message.count >= 8
            else { return }
            packet = AnswerPacket.echoReply(
                message, identifier: app.port, from: address, to: app.address)
        }
        identification &+= 1
        let parts = IPPacket.fragments(
            of: packet, mtu: host.network.mtu, identification: identification)
        for part in parts { answer(part, outlet.use.app.address) }
    }

    /// The endpoint from which a datagram is to reach the app; nil if it has none of the app's family, as
    /// only the loopback has both.
    private func source(of datagram: Datagram, by outlet: DatagramOutlet) -> Endpoint? {
        let source = destination(of: datagram.sender, by: outlet)
        return source.address.isIPv6 == outlet.use.app.address.isIPv6 ? source : nil
    }

    /// The address under which the app knows an endpoint that corresponds with one of its ports.
    private func destination(of end: Endpoint, by outlet: DatagramOutlet) -> Endpoint {
        let app = outlet.use.app.address
        return host.destination(
            of: end, gateway: outlet.gateway ?? host.network.gateway(towards: app))
    }

    // MARK: Name servers

    private func ask(_ datagram: Datagram, at now: Duration) {
        let (app, nameServer) = (datagram.sender, datagram.destination)
        let use = DatagramOutlet.Use.questions(of: app, to: nameServer)
        if let outlet = outlets[use], let question = outlet.question,
            question.payload == datagram.payload
        {
            // A repeated query means that there was no answer: try another name server.
            askNext(question, instead: outlet, at: now)
        } else {
            ask(
                DatagramOutlet.Question(payload: datagram.payload), use,
                of: host.endpoints(for: nameServer)[0], at: now)
        }
    }

    private func askNext(
        _ question: DatagramOutlet.Question, instead outlet: DatagramOutlet, at now: Duration
    ) {
        guard let failed = outlet.server else { return }
        host.report(failureOf: failed)
        outlets.drop(outlet)
        let next = DatagramOutlet.Question(
            payload: question.payload, failures: question.failures + 1)
        ask(next, outlet.use, of: host.server(after: failed), at: now)
    }

    private func ask(
        _ question: DatagramOutlet.Question, _ use: DatagramOutlet.Use, of server: Endpoint,
        at now: Duration
    ) {
        do {
            let outlet = try outlets.open(use, asking: server, at: now)
            outlet.question = question
            do {
                try outlet.socket.send(question.payload)
            } catch {
                handle(error, of: outlet, at: now)
            }
        } catch {
            guard case .questions(let app, let nameServer) = use else { return }
            guard Unreachability(error) != nil, question.failures + 1 < host.serverCount else {
                return report(error, app, nameServer)
            }
            host.report(failureOf: server)
            let next = DatagramOutlet.Question(
                payload: question.payload, failures: question.failures + 1)
            ask(next, use, of: host.server(after: server), at: now)
        }
    }

    // MARK: Failures

    /// Handles an error of a host socket, either its own or about a datagram sent.
    private func handle(_ error: Errno, of outlet: DatagramOutlet, at now: Duration) {
        switch outlet.use {
        case .port: takeFailures(of: outlet, at: now)
        case .questions where error == .wouldBlock: break
        case .questions(let app, let nameServer):
            guard let question = outlet.question, question.failures + 1 < host.serverCount else {
                return report(error, app, nameServer)
            }
            askNext(question, instead: outlet, at: now)
        case .echoes: takeFailures(ofEchoesBy: outlet)
        }
    }

    /// Reports to the app that echo requests did not arrive; false if none is known.
    @discardableResult
    private func takeFailures(ofEchoesBy outlet: DatagramOutlet) -> Bool {
        var hasFound = false
        while let failure = outlet.socket.nextFailure() {
            hasFound = true
            if let request = outlet.echo(quotedBy: failure.payload) {
                report(failure.reason, request)
            }
        }
        return hasFound
    }

    /// Reports undelivered datagrams to the app; false if none is known.
    @discardableResult
    private func takeFailures(of outlet: DatagramOutlet, at now: Duration) -> Bool {
        var hasFound = false
        while let failure = outlet.socket.nextFailure() {
            hasFound = true
            if failure.reason == .connectionRefused, cross(outlet, failure, at: now) { continue }
            report(
                failure.reason, outlet.use.app, destination(of: failure.destination, by: outlet),
                failure.payload)
        }
        return hasFound
    }

    /// Tries the other loopback: a server may listen on only one of them, and the app cannot know
    /// that the host has two. False if that refuses as well.
    private func cross(
        _ outlet: DatagramOutlet, _ failure: DatagramSocket.Failure, at now: Duration
    ) -> Bool {
        guard case .port(let app, let isIPv6) = outlet.use,
            let other = host.otherLoopback(of: failure.destination)
        else { return false }
        guard outlet.isOfAppsFamily else {
            let first = outlets[.port(of: app, isIPv6: !isIPv6)]
            first?.crossedPorts.remove(other.port)
            return false
        }
        // Each of those that have crossed is refused here, too.
        guard !outlet.crossedPorts.contains(other.port) else { return true }
        let lost = outlet.takeUnanswered(to: failure.destination)
        guard !lost.isEmpty,
            let crossing = try? outlets.open(.port(of: app, isIPv6: !isIPv6), at: now)
        else { return false }
        crossing.gateway = outlet.gateway
        for payload in lost where (try? crossing.socket.send(payload, to: other)) == nil {
            // It may be the error of an earlier datagram.
            guard (try? crossing.socket.send(payload, to: other)) != nil else { return false }
        }
        outlet.crossedPorts.insert(other.port)
        return true
    }

    /// Reports the host kernel's error to the app by ICMP.
    private func report(
        _ error: Errno, _ app: Endpoint, _ destination: Endpoint, _ payload: [UInt8] = []
    ) {
        noteFullBuffer(error)
        let reason = error == .connectionRefused ? .port : Unreachability(error)
        guard let reason, app.address.isIPv6 == destination.address.isIPv6 else { return }
        let datagram = IPPacket.datagram(from: app, to: destination, payload: payload[...])
        let reporter =
            reason == .port
            ? destination.address : host.network.gateway(towards: app.address)
        answer(
            AnswerPacket.unreachable(
                reason, quoting: datagram, from: reporter, to: app.address), app.address)
    }

    /// Reports the host kernel's error about an echo request to the app.
    private func report(_ error: Errno, _ request: RequestPacket) {
        noteFullBuffer(error)
        guard let reason = Unreachability(error) else { return }
        let app = request.source.address
        let gateway = host.network.gateway(towards: app)
        answer(
            AnswerPacket.unreachable(reason, quoting: request.bytes, from: gateway, to: app), app)
    }

    private func noteFullBuffer(_ error: Errno) {
        guard error == .wouldBlock || error == .noBufferSpace else { return }
        losses.add(to: \.up.unsent)
    }

    // MARK: Closing

    /// Closes sockets that have been idle for too long.
    func expire(at now: Duration) { outlets.expire(at: now) }

    /// Closes all sockets.
    func close() { outlets.dropAll() }

    /// Whether `expire` may have work later.
    var hasDeadlines: Bool { !outlets.isEmpty }
}

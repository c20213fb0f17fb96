import LinuxKernel
import ProxyControl
import ProxyProtocols
import SystemPackage
import Uplink

/// A client's connection, from its acceptance to its end.
final class StreamConnection: EventTarget {
    /// What is going on.
    enum Phase {
        /// The client says what it wants.
        case negotiating(any Negotiation)
        /// The name of the target is being looked up.
        case resolving(NameLookup)
        /// The target has not answered yet; these endpoints are left to try.
        case connecting(untried: ArraySlice<Endpoint>)
        /// Both ends are connected.
        case relaying
        /// Requests of HTTP are passed on one by one.
        case exchanging(HTTPExchange)
        /// The client's datagrams are relayed as long as it stays.
        case associated
        /// The client was told all; it may still send.
        case lingering
        /// It is over.
        case closed
    }

    let client: StreamRelay.Side
    let service: StreamService
    /// The client's endpoint and the listener's; nil for a Unix socket.
    let peer: Endpoint?
    let destination: Endpoint?
    var target: StreamRelay.Side?
    var phase = Phase.closed
    var deadline: Duration
    private var pumps = StreamRelay.Pumps()
    private var counted: (up: UInt64, down: UInt64) = (0, 0)
    private var shaping: (up: StreamShaping, down: StreamShaping)?
    private var timer: (token: TimerQueue.Token, time: Duration)?
    private var isQueued = false
    /// What is asked for, as the user has named it.
    var wanted: TargetAddress?
    var failure = Errno.networkUnreachable
    /// What becomes of a connection to the target, and what if there is none.
    var completion: (any ConnectionOutcome)?

    /// How many descriptors each takes.
    static let descriptors = 2
    /// After this time the kernel does not try any more: Linux gives up after 127 s by default.
    static let connectTimeout = Duration.seconds(130)
    /// How long a client may take to say what it wants.
    static let negotiationTimeout = Duration.seconds(30)
    private static let lingering = Duration.seconds(5)

    init(
        _ client: StreamRelay.Side, of service: StreamService, from peer: Endpoint?,
        at destination: Endpoint?, begun now: Duration
    ) {
        self.client = client
        self.service = service
        self.peer = peer
        self.destination = destination
        deadline = now + Self.connectTimeout
    }

    var context: EndpointContext { service.context }

    // MARK: Establishment

    /// Begins with what the listener is for.
    func start(at now: Duration) {
        // If the process is killed, the client must not take what it has got for everything.
        client.socket.resetOnClose()
        do throws(Errno) {
            client.token = try context.events.watch(client.socket.descriptor, .edge, for: self)
        } catch {
            return abort()
        }
        switch service.plan.kind {
        case .forward(let text), .forwardDatagrams(let text):
            guard let target = try? TargetAddress(text) else { return abort() }
            connect(to: target, then: PlainForward(), at: now)
        case .socks: negotiate(SOCKSServer(), at: now)
        case .http: negotiate(HTTPServer(), at: now)
        case .door(let path, let token):
            negotiate(DoorKeeper(token: token, path: path), at: now)
        }
    }

    private func negotiate(_ negotiation: any Negotiation, at now: Duration) {
        deadline = now + Self.negotiationTimeout
        phase = .negotiating(negotiation)
        negotiation.handle(self, at: now)
    }

    // MARK: Data

    /// Moves data from now on.
    ///
    /// - Parameters:
    ///   - first: What the target gets first that the client has sent.
    ///   - answer: What the client gets first.
    func relay(first: [UInt8] = [], answer: [UInt8] = [], at now: Duration) {
        let header: [UInt8] =
            switch service.plan.proxyHeader {
            case .v1: ProxyHeader.v1(from: peer, to: destination)
            case .v2: ProxyHeader.v2(from: peer, to: destination)
            case nil: []
            }
        pumps = StreamRelay.Pumps(
            upFirst: service.plan.preface + header + first, downFirst: answer)
        phase = .relaying
        takeOverBehaviours(at: now)
        pump(at: now)
    }

    /// The listener's behaviours are others now.
    func takeOverBehaviours(at now: Duration) {
        guard case .relaying = phase else { return }
        let behaviours = service.plan.behaviours
        guard !behaviours.isEmpty || shaping != nil else { return }
        var shaping = self.shaping ?? (StreamShaping(), StreamShaping())
        shaping.up.update(behaviours, .upstream, &pumps.up, at: now)
        shaping.down.update(behaviours, .downstream, &pumps.down, at: now)
        let isEmpty = shaping.up.isEmpty && shaping.down.isEmpty
        self.shaping = behaviours.isEmpty && isEmpty ? nil : shaping
        // What was held may go now.
        enqueue()
    }

    private func enqueue() {
        guard !isQueued else { return }
        isQueued = true
        context.queue(self)
    }

    func handle(_ event: EventQueue.Event, at now: Duration) {
        switch phase {
        case .negotiating(let negotiation): negotiation.handle(self, at: now)
        case .connecting: finishConnecting(at: now)
        case .relaying: pump(at: now)
        case .exchanging(let exchange): exchange.handle(self, at: now)
        case .associated: watchAssociation()
        case .lingering: linger()
        case .resolving, .closed: break
        }
    }

    /// Continues after others had their turn.
    func continueTurn(at now: Duration) {
        isQueued = false
        switch phase {
        case .relaying: pump(at: now)
        case .exchanging(let exchange): exchange.handle(self, at: now)
        default: break
        }
    }

    private func pump(at now: Duration) {
        guard let target else { return }
        if shaping != nil {
            guard shape(target, at: now) else { return }
        }
        let outcome = pumps.move(between: client, and: target, context.room, at: now)
        count()
        switch outcome {
        case .failed: abort()
        case .over: close()
        case .waiting:
            // A slice may have become full, or the end have come, with something to do about it.
            if shaping != nil { _ = shape(target, at: now) }
        case .unfinished: enqueue()
        }
    }

    /// Applies what is done to the stream; false if that ends it.
    private func shape(_ target: StreamRelay.Side, at now: Duration) -> Bool {
        guard var shaping,
            let (clientReady, targetReady) = try? StreamSocket.readiness(
                of: client.socket, and: target.socket)
        else { return true }
        let up = shaping.up.apply(
            to: &pumps.up, sourceHasEnded: clientReady.hasEnded, at: now)
        let down = shaping.down.apply(
            to: &pumps.down, sourceHasEnded: targetReady.hasEnded, at: now)
        self.shaping = shaping
        for fate in [up.fate, down.fate] {
            switch fate {
            case .goesOn: continue
            case .closes: close()
            case .isReset: abort()
            }
            return false
        }
        schedule([up.next, down.next].compactMap(\.self).min(), at: now)
        return true
    }

    private func schedule(_ time: Duration?, at now: Duration) {
        guard let time else { return }
        if time <= now { return enqueue() }
        if let timer {
            guard time < timer.time || timer.time <= now else { return }
            context.timers.cancel(timer.token)
        }
        let token = context.timers.add(at: time) { [weak self] now in
            self?.timer = nil
            self?.handleTimer(at: now)
        }
        timer = (token, time)
    }

    private func handleTimer(at now: Duration) {
        if case .relaying = phase { pump(at: now) }
    }

    private func count() {
        let (up, down) = (pumps.up.count, pumps.down.count)
        service.counters.upstreamBytes += up - counted.up
        service.counters.downstreamBytes += down - counted.down
        counted = (up, down)
    }

    // MARK: Closing

    /// Closes a connection so that both ends see a reset.
    func abort() {
        target?.socket.resetOnClose()
        drop()
    }

    /// Says a last thing to the client and closes the connection once it has read that.
    func conclude(with answer: [UInt8], at now: Duration) {
        releaseTarget()
        guard
            answer.isEmpty
                || (try? client.socket.send(answer, 0..<answer.count)) == answer.count
        else { return close() }
        client.socket.finishSending()
        // A client that is still sending would see a reset before it has read the answer.
        phase = .lingering
        deadline = .zero
        linger()
    }

    private func linger() {
        var isOver = false
        while let count = try? client.socket.receive(
            into: &context.room.bytes, limit: context.room.bytes.count)
        {
            if count == 0 {
                isOver = true
                break
            }
        }
        if deadline == .zero { deadline = context.now + Self.lingering }
        if isOver || (try? client.socket.checkError()) == nil { close() }
    }

    /// The target is another's from now on, or nobody's.
    func releaseTarget() {
        guard let target else { return }
        context.events.forget(target.token)
        self.target = nil
    }

    /// Waits for the end of a client whose datagrams are relayed.
    func associate() { phase = .associated }

    private func watchAssociation() {
        do throws(Errno) {
            while try client.socket.receive(
                into: &context.room.bytes, limit: context.room.bytes.count) > 0
            {}
            close()
        } catch {
            if error != .wouldBlock { close() }
        }
    }

    /// Closes a connection that has ended in order.
    func close() {
        client.socket.finishOnClose()
        drop()
    }

    private func drop() {
        guard client.token != 0 || target != nil else { return service.remove(self) }
        context.events.forget(client.token)
        client.token = 0
        releaseTarget()
        if let timer { context.timers.cancel(timer.token) }
        timer = nil
        if case .resolving(let lookup) = phase { lookup.cancel() }
        phase = .closed
        service.associations?.end(of: self)
        service.remove(self)
    }

    /// Gives up a connection that was not established in time.
    func expire(at now: Duration) {
        guard deadline <= now else { return }
        switch phase {
        case .negotiating, .resolving: abort()
        case .connecting:
            failure = .timedOut
            releaseTarget()
            tryNext(at: now)
        case .lingering: close()
        case .relaying, .exchanging, .associated, .closed: break
        }
    }
}

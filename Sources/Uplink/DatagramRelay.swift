import LinuxKernel
import SystemPackage

/// Relays UDP and ICMP echo: each flow of the app has a socket on the host, until it is idle.
final class DatagramRelay {
    /// What tells flows apart. An echo has its identifier for the app's port.
    struct Ends: Hashable {
        var app: Endpoint
        var destination: Endpoint
        var isEcho: Bool
    }

    /// Datagrams between the same two ends.
    final class Flow {
        let ends: Ends
        let server: Endpoint
        let socket: DatagramSocket
        var token: UInt64 = 0
        var lastUse: Duration
        /// The question to a name server that has not answered yet.
        var question: [UInt8]?
        /// How many name servers have failed to answer it.
        var failures = 0

        init(_ ends: Ends, server: Endpoint, at now: Duration) throws(Errno) {
            self.ends = ends
            self.server = server
            socket =
                ends.isEcho
                ? try DatagramSocket(echoTo: server.address)
                : try DatagramSocket(connectedTo: server)
            lastUse = now
        }
    }

    private let events: RelayEvents
    private let host: HostMapping
    private let answer: ([UInt8], IPAddress) -> Void
    private let limit: Int
    private var flows: [Ends: Flow] = [:]
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var identification: UInt32 = 0

    private static let idleLimit = Duration.seconds(60)
    private static let questionLimit = Duration.seconds(12)
    /// How many datagrams one socket gets before it is the turn of others.
    private static let turn = 64

    init(
        events: RelayEvents, host: HostMapping, limit: Int,
        answer: @escaping ([UInt8], IPAddress) -> Void
    ) {
        self.events = events
        self.host = host
        self.limit = limit
        self.answer = answer
    }

    // MARK: From the app

    /// The app has sent UDP datagrams.
    func receive(from family: RelaySockets.Family, at now: Duration) {
        for _ in 0..<Self.turn {
            guard let datagram = try? family.datagrams.receive(into: &buffer) else { return }
            forward(
                buffer[..<datagram.count],
                Ends(app: datagram.sender, destination: datagram.destination, isEcho: false),
                at: now)
        }
    }

    /// The app asks for an echo.
    func handle(_ request: RequestPacket, at now: Duration) {
        forward(
            request.message,
            Ends(app: request.source, destination: request.destination, isEcho: true), at: now)
    }

    private func forward(_ payload: ArraySlice<UInt8>, _ ends: Ends, at now: Duration) {
        let isQuestion = !ends.isEcho && host.isResolver(ends.destination)
        // Whoever asks again got no answer: let another name server try.
        if isQuestion, let flow = flows[ends], flow.question == Array(payload) {
            host.report(failureOf: flow.server)
            drop(flow)
        }
        do throws(Errno) {
            let flow = try flow(ends, at: now)
            flow.lastUse = now
            if isQuestion { flow.question = Array(payload) }
            do {
                try flow.socket.send(payload)
            } catch {
                // It may be the error of an earlier datagram, which is told now.
                fail(flow, error, at: now)
                if flows[ends] === flow, !isQuestion { try flow.socket.send(payload) }
            }
        } catch {
            report(error, ends)
        }
    }

    private func flow(_ ends: Ends, at now: Duration) throws(Errno) -> Flow {
        if let flow = flows[ends] { return flow }
        if flows.count >= limit, let oldest = flows.values.min(by: { $0.lastUse < $1.lastUse }) {
            drop(oldest)
        }
        let server = host.endpoints(for: ends.destination)[0]
        let flow = try Flow(ends, server: server, at: now)
        flow.token = try events.watch(flow.socket.descriptor, .level, for: .flow(flow))
        flows[ends] = flow
        return flow
    }

    // MARK: To the app

    /// The host's end of a flow has something.
    func receive(for flow: Flow, at now: Duration) {
        for _ in 0..<Self.turn {
            let count: Int
            do {
                count = try flow.socket.receive(into: &buffer)
            } catch {
                fail(flow, error, at: now)
                return
            }
            flow.lastUse = now
            flow.question = nil
            deliver(buffer[..<count], flow)
        }
    }

    private func deliver(_ payload: ArraySlice<UInt8>, _ flow: Flow) {
        let ends = flow.ends
        let packet: [UInt8]
        if ends.isEcho {
            guard payload.count >= 8 else { return }
            packet = AnswerPacket.echoReply(
                payload, identifier: ends.app.port, from: ends.destination.address,
                to: ends.app.address)
        } else {
            packet = AnswerPacket.datagram(
                from: ends.destination, to: ends.app, payload: payload)
        }
        identification &+= 1
        let parts = AnswerPacket.fragments(
            of: packet, mtu: host.network.mtu, identification: identification)
        for part in parts { answer(part, ends.app.address) }
    }

    // MARK: Failures

    /// The socket of a flow has an error.
    private func fail(_ flow: Flow, _ error: Errno, at now: Duration) {
        guard error != .wouldBlock else { return }
        guard let question = flow.question, flow.failures + 1 < host.serverCount else {
            return report(error, flow.ends)
        }
        drop(flow)
        host.report(failureOf: flow.server)
        do {
            let next = try self.flow(flow.ends, at: now)
            next.failures = flow.failures + 1
            next.question = question
            try next.socket.send(question[...])
        } catch {
            report(error, flow.ends)
        }
    }

    /// Tells the app by ICMP what the host's kernel said.
    private func report(_ error: Errno, _ ends: Ends) {
        let reason = error == .connectionRefused ? .port : Unreachability(error)
        guard let reason, !ends.isEcho else { return }
        // The ports are all that the app's kernel looks at.
        let datagram = AnswerPacket.datagram(from: ends.app, to: ends.destination, payload: [])
        let reporter =
            reason == .port
            ? ends.destination.address : host.network.gateway(towards: ends.app.address)
        answer(
            AnswerPacket.unreachable(
                reason, quoting: datagram, from: reporter, to: ends.app.address),
            ends.app.address)
    }

    private func drop(_ flow: Flow) {
        events.forget(flow.token)
        flows[flow.ends] = nil
    }

    /// Forgets flows that were idle for long.
    func expire(at now: Duration) {
        for flow in flows.values {
            let limit =
                host.isResolver(flow.ends.destination) ? Self.questionLimit : Self.idleLimit
            if flow.lastUse + limit <= now { drop(flow) }
        }
    }

    /// Whether `expire` may have something to do later.
    var hasDeadlines: Bool { !flows.isEmpty }
}

import LinkModel
import LinkUnits
public import LinuxKernel
import SystemPackage

/// The far end of measurements: `linkcond learn --serve`.
///
/// Theory of operation. A client connects by TCP and both say which version they speak. The client
/// then sends a datagram with a token from the responder, which answers it with a cookie; the
/// client says the cookie over TCP. So the UDP address is the client's own, and nobody can have
/// packets sent to others. Then the client asks for one round after the other. While a round runs,
/// the responder sends no more than the client asked for, within `ProbeLimits`, and stops when the
/// client closes the connection. There is one client at a time; others are told that it is busy.
public struct Responder: ~Copyable {
    /// Takes what happens.
    public protocol Listener {
        /// A measurement began, ended or failed.
        func report(_ text: String)
    }

    private var listeners: [Door] = []
    private let port: UInt16
    /// Whether it listens at all addresses of this host.
    let isEverywhere: Bool
    private let program: String
    private let limits: ProbeLimits

    /// The usual port.
    public static let defaultPort: UInt16 = 46_464

    /// For a client that has asked what the network does, which tells of its end by TCP, or by a datagram
    /// where a NAT has forgotten that; unless it was killed.
    private static let watchInterval = Duration.seconds(5)
    private static let watchPatience = Duration.seconds(25)
    static let longestLine = 1 << 16

    private final class Door {
        let listener: StreamListener
        var descriptor: FileDescriptor { listener.descriptor }
        init(at endpoint: Endpoint) throws(Errno) {
            listener = try StreamListener(
                at: endpoint,
                StreamShape(
                    unsentLimit: 1 << 20, segmentSize: 0, receiveBuffer: 1 << 18,
                    growsWithReading: true))
            listener.keepOpenings()
        }
    }

    /// Listens at an address, or at all addresses of this host.
    ///
    /// - Parameter program: The version of this program.
    public init(at address: IPAddress?, port: UInt16, program: String) throws(LearningError) {
        (self.port, self.program, limits) = (port, program, ProbeLimits())
        isEverywhere = address == nil
        let all = [IPAddress(ipv4: 0), IPAddress(ipv6High: 0, low: 0)]
        for (index, address) in (address.map { [$0] } ?? all).enumerated() {
            do {
                listeners.append(try Door(at: Endpoint(address, port: port)))
            } catch {
                // A host without IPv6.
                if index > 0 { continue }
                throw Self.refused(Endpoint(address, port: port), error)
            }
        }
    }

    private static func refused(_ endpoint: Endpoint, _ errno: Errno) -> LearningError {
        switch errno {
        case .addressInUse:
            LearningError(
                "port \(endpoint.port) is in use; end what uses it, or name another with --port")
        case .permissionDenied:
            LearningError(
                "port \(endpoint.port) is only for root; name one above 1023 with --port",
                status: .noPermission)
        case .addressNotAvailable:
            LearningError(
                "\(endpoint.address) is not an address of this host; leave --listen out to listen "
                    + "at all", status: .usage)
        default: LearningError("cannot listen at \(endpoint): \(errno)")
        }
    }

    /// Serves clients until the process ends.
    public func serve(_ listener: some Listener) throws {
        KernelThread.makeCallingThreadPunctual(isPreferred: false)
        while true {
            guard let channel = nextClient() else { continue }
            let name: Endpoint
            do {
                name = try channel.peer
            } catch {
                continue
            }
            do {
                try serve(channel, name, listener)
            } catch {
                listener.report("\(name.address): \(error)")
            }
        }
    }

    /// Why a session ended early.
    struct End: Error, CustomStringConvertible {
        let description: String
    }

    private func nextClient() -> Client? {
        let ready = Readiness.wait(for: listeners.map(\.descriptor))
        for door in listeners where ready.contains(door.descriptor) {
            if let stream = try? door.listener.accept(unsentLimit: 1 << 20) {
                return Client(stream)
            }
        }
        return nil
    }

    final class Client {
        let channel: ControlChannel
        /// Where it may say farewell while it measures.
        var ears: FarewellEars?
        private let endpoint: Result<Endpoint, Errno>
        init(_ stream: consuming StreamSocket) {
            do {
                endpoint = .success(try stream.peer())
            } catch {
                endpoint = .failure(error)
            }
            channel = ControlChannel(stream)
        }
        var peer: Endpoint { get throws { try endpoint.get() } }
        /// Whether it has said that it is gone.
        var saysFarewell: Bool { ears?.hear() == true }
    }

    private func serve(
        _ client: Client, _ peer: Endpoint, _ listener: some Listener
    ) throws {
        let channel = client.channel
        let begin = KernelClock.monotonic
        // Nobody else is served while this one says nothing.
        guard
            let hello = Greeting(
                try channel.line(limit: Greeting.longest, until: begin + .seconds(5)))
        else {
            try channel.send(
                Greeting(.version, program: program).line, until: begin + .seconds(5))
            throw End(description: "not a linkcond learn; closed")
        }
        guard Greeting.versions.contains(hello.version) else {
            try channel.send(
                Greeting(.version, program: program).line, until: begin + .seconds(5))
            throw End(
                description: "speaks version \(hello.version) of the protocol (linkcond "
                    + "\(hello.program)), not \(Greeting.version); closed")
        }
        try channel.send(
            Greeting(.ready, program: program, version: hello.version).line,
            until: begin + .seconds(5))
        if hello.version >= DiagnosisProtocol.version {
            listener.report("\(peer.address): asking what the network does")
            guard let ears = try diagnose(client, peer) else {
                return listener.report("\(peer.address): done")
            }
            client.ears = ears
            channel.watchPeer(every: Self.watchInterval, patience: Self.watchPatience)
        }
        var exchange = try meet(client, peer)
        listener.report("\(peer.address): measuring")
        let end = begin + .seconds(limits.sessionSeconds)
        var rounds = 0
        while let line = try nextLine(client, end) {
            guard let message = MessageLine.read(line, as: ClientMessage.self),
                let round = message.round
            else { throw End(description: "said something else than a round; closed") }
            if let problem = limits.problem(round) {
                try say(.init(refusal: problem), channel)
                throw End(description: "asked for too much: \(problem)")
            }
            try run(round, &exchange, client, until: end)
            rounds += 1
        }
        let seconds = (KernelClock.monotonic - begin) / .seconds(1)
        listener.report(
            "\(peer.address): done after \(rounds) rounds and \(Int(seconds.rounded())) s")
    }

    /// The next line; nil if the client has gone.
    private func nextLine(_ client: Client, _ end: Duration) throws -> String? {
        let channel = client.channel
        let patience = KernelClock.monotonic + ControlChannel.longestSilence
        while true {
            turnOthersAway()
            if client.saysFarewell { return nil }
            do {
                let now = KernelClock.monotonic
                return try channel.line(
                    limit: Self.longestLine, until: min(end, patience, now + .milliseconds(200)))
            } catch ControlChannel.Failure.silent {
                guard KernelClock.monotonic < min(end, patience) else {
                    throw End(description: "said nothing for too long; closed")
                }
            } catch ControlChannel.Failure.ended, ControlChannel.Failure.reset {
                return nil
            }
        }
    }

    func say(
        _ message: ResponderMessage, _ channel: ControlChannel, _ more: [UInt8] = []
    ) throws {
        try channel.send(
            MessageLine.text(of: message), more,
            until: KernelClock.monotonic + ControlChannel.longestSilence)
    }

    /// Tells those who wait that somebody else is being served.
    func turnOthersAway() {
        for door in listeners {
            while let stream = try? door.listener.accept(unsentLimit: 1 << 20) {
                try? ControlChannel(stream).send(
                    // Nobody has asked which version they speak: all understand the first.
                    Greeting(.busy, program: program, version: Greeting.measuring).line,
                    until: KernelClock.monotonic)
            }
        }
    }

    /// Finds out the client's UDP address.
    private func meet(_ client: Client, _ peer: Endpoint) throws -> ProbeExchange {
        let channel = client.channel
        var socket = try ProbeSocket(port: port, isIPv6: peer.address.isIPv6)
        let (token, cookie) = (Rendezvous.secret(), Rendezvous.secret())
        try say(
            .init(
                invitation: .init(
                    token: token, port: port, clock: SharedClock.mark(token), limits: limits)),
            channel)
        let deadline = KernelClock.monotonic + ControlChannel.longestSilence
        var found: Endpoint?
        while KernelClock.monotonic < deadline {
            turnOthersAway()
            if client.saysFarewell { throw End(description: "said farewell") }
            let next = min(deadline, KernelClock.monotonic + .milliseconds(200))
            _ = Readiness.wait(for: [socket.descriptor, channel.descriptor], until: next)
            for datagram in socket.receiveFromAnybody()
            where datagram.sender.address == peer.address
                && Rendezvous.word(of: datagram.payload) == token
            {
                found = datagram.sender
                socket.answer(Rendezvous.datagram(cookie), to: datagram.sender)
            }
            guard channel.hasNews else { continue }
            let line = try channel.line(limit: Self.longestLine, until: deadline)
            guard let said = MessageLine.read(line, as: ClientMessage.self)?.cookie else {
                throw End(description: "said something else than its cookie; closed")
            }
            guard said == cookie, let found else {
                throw End(description: "did not prove its UDP address; closed")
            }
            try socket.connect(to: found)
            try say(.init(isReady: true), channel)
            return ProbeExchange(socket, isIPv6: peer.address.isIPv6)
        }
        throw End(description: "its UDP packets do not arrive")
    }

    private func run(
        _ round: ProbeRound, _ exchange: inout ProbeExchange, _ client: Client,
        until end: Duration
    ) throws {
        let channel = client.channel
        try say(.init(hasStarted: true), channel)
        var isGone = false
        let report = try exchange.run(round, own: .down) {
            turnOthersAway()
            isGone =
                isGone || channel.hasNews || client.saysFarewell || KernelClock.monotonic > end
            return !isGone
        }
        guard !isGone else { throw End(description: "left in the middle of a round") }
        let bytes = ArrivalCode.encode(report.numbers, report.arrivalTimes)
        try say(
            .init(
                outcome: .init(
                    sent: report.sent.map(\.count), tooLarge: report.tooLarge,
                    arrivals: report.numbers.count, damaged: report.damaged,
                    overflows: report.overflows, bytes: bytes.count, pathMTU: exchange.pathMTU)),
            channel, bytes)
    }
}

extension ControlChannel.Failure: CustomStringConvertible {
    var description: String {
        switch self {
        case .ended: "closed the connection"
        case .reset: "reset the connection"
        case .silent: "said nothing for too long"
        case .tooLong: "said a line that is too long"
        case .broken(let errno): "the connection broke: \(errno)"
        }
    }
}

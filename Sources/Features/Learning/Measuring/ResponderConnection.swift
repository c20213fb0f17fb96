import LinkModel
import LinkUnits
import LinuxKernel
import SystemPackage

/// The client's end of a session with a responder.
final class ResponderConnection {
    /// Whom it is connected to.
    let endpoint: Endpoint
    let limits: ProbeLimits
    /// Whether both ends have one clock.
    let sharesClock: Bool
    /// The version of the responder's program.
    let program: String
    private let host: String
    private let channel: ControlChannel
    private var exchange: ProbeExchange

    private static let patience = Duration.seconds(15)
    /// For an answer in a session: TCP waits longer and longer where losses come in bursts.
    private static let longPatience = Duration.seconds(90)
    private static let longestLine = 1 << 16
    /// What gets through everywhere, also where larger packets vanish, in bytes.
    static let smallSegment = 500

    var isIPv6: Bool { endpoint.address.isIPv6 }
    var pathMTU: Int? { exchange.pathMTU }
    /// The MTU that the responder's kernel was told of.
    private(set) var othersPathMTU: Int?

    /// Connects to a responder.
    static func open(
        to host: String, port: UInt16, program: String
    ) throws -> ResponderConnection {
        let place = "\(host), port \(port)"
        let (channel, endpoint) = try connect(to: host, port: port, segmentSize: smallSegment)
        let deadline = KernelClock.monotonic + patience
        let answer = try greet(channel, place, program, until: deadline)
        return try meeting(host, endpoint, channel, program: answer.program)
    }

    /// The same over a connection that is there, whose responder says next how to meet.
    static func meeting(
        _ host: String, _ endpoint: Endpoint, _ channel: ControlChannel, program: String
    ) throws -> ResponderConnection {
        let place = "\(host), port \(endpoint.port)"
        do {
            let line = try channel.line(
                limit: longestLine, until: KernelClock.monotonic + longPatience)
            guard
                let invitation = MessageLine.read(line, as: ResponderMessage.self)?.invitation
            else { throw LearningError("\(place): the responder says what cannot be understood") }
            let exchange = try meet(channel, endpoint, invitation, place)
            return ResponderConnection(host, endpoint, channel, invitation, program, exchange)
        } catch let failure as ControlChannel.Failure {
            throw vanished(host, failure)
        }
    }

    private init(
        _ host: String, _ endpoint: Endpoint, _ channel: ControlChannel,
        _ invitation: ResponderMessage.Invitation, _ program: String,
        _ exchange: consuming ProbeExchange
    ) {
        (self.host, self.endpoint, self.channel) = (host, endpoint, channel)
        (limits, self.program) = (invitation.limits, program)
        let clock = SharedClock.mark(invitation.token)
        sharesClock = !clock.isEmpty && clock == invitation.clock
        self.exchange = exchange
    }

    /// Connects to a host.
    ///
    /// - Parameters:
    ///   - patience: for each address.
    ///   - prefersIPv4: whether its IPv4 address comes first.
    ///   - segmentSize: the most bytes that a packet carries in both directions; nil: as many as the way
    ///     has room for, as far as this host knows.
    static func connect(
        to host: String, port: UInt16, patience: Duration = ResponderConnection.patience,
        prefersIPv4: Bool = false, segmentSize: Int? = nil
    ) throws(LearningError) -> (ControlChannel, Endpoint) {
        var addresses: [IPAddress]
        do {
            addresses = try HostLookup.addresses(of: host)
        } catch {
            throw LearningError("\(host): its address cannot be found: \(error)", status: .failed)
        }
        guard !addresses.isEmpty else {
            throw LearningError(
                "\(host): no such host, or no name server answers; name an address",
                status: .failed)
        }
        if prefersIPv4 { addresses = addresses.filter { !$0.isIPv6 } + addresses.filter(\.isIPv6) }
        var obstacle = Errno.timedOut
        for address in addresses {
            let endpoint = Endpoint(address, port: port)
            do {
                let stream = try stream(to: endpoint, segmentSize: segmentSize)
                guard Readiness.isWritable(stream.descriptor, within: patience) else {
                    continue
                }
                try stream.checkError()
                return (ControlChannel(stream), endpoint)
            } catch {
                obstacle = error
            }
        }
        let advice = "start linkcond learn --serve there"
        throw LearningError(
            obstacle == .connectionRefused
                ? "\(host), port \(port): nobody listens; \(advice)"
                : obstacle == .timedOut
                    ? "\(host), port \(port): does not answer; \(advice), and see whether a "
                        + "firewall lets TCP and UDP of this port through"
                    : "\(host), port \(port): \(obstacle)", status: .failed)
    }

    private static func stream(
        to endpoint: Endpoint, segmentSize: Int?
    ) throws(Errno) -> StreamSocket {
        guard let segmentSize else { return try StreamSocket(connectingTo: endpoint) }
        return try StreamSocket(
            connectingTo: endpoint,
            StreamShape(
                unsentLimit: 1 << 20, segmentSize: segmentSize, receiveBuffer: 1 << 18,
                growsWithReading: true))
    }

    /// Says which version this end speaks.
    static func greet(
        _ channel: ControlChannel, _ place: String, _ program: String,
        version: Int = Greeting.measuring, until deadline: Duration
    ) throws(LearningError) -> Greeting {
        let line: String
        let advice = "start linkcond learn --serve there, and name its port with --port"
        do {
            try channel.send(
                Greeting(.hello, program: program, version: version).line, until: deadline)
            line = try channel.line(limit: Greeting.longest, until: deadline)
        } catch .tooLong {
            throw LearningError(
                "\(place): something else listens there, which says "
                    + "\"\(shortened(channel.beginning))\"; \(advice)", status: .failed)
        } catch .silent {
            throw LearningError(
                "\(place): something listens there, but it is no responder: it says nothing; "
                    + advice, status: .failed, obstacle: .broken)
        } catch {
            throw LearningError(
                "\(place): something listens there, but it is no responder: it \(error); \(advice)",
                status: .failed, obstacle: error.obstacle)
        }
        guard let answer = Greeting(line) else {
            throw LearningError(
                "\(place): something else listens there, which says \"\(shortened(line))\"; "
                    + advice, status: .failed)
        }
        guard answer.word == .busy || answer.version == version && answer.word != .version else {
            throw LearningError(
                "\(place): the responder is linkcond \(answer.program) and speaks version "
                    + "\(answer.version) of the protocol, this is linkcond \(program) and speaks "
                    + "version \(version); use the same linkcond at both ends")
        }
        switch answer.word {
        case .ready: return answer
        case .busy:
            throw LearningError(
                "\(place): the responder is measuring with somebody else; try again later",
                status: .failed, obstacle: .busy)
        case .hello, .version:
            throw LearningError(
                "\(place): a client listens there, and no responder; \(advice)", status: .failed)
        }
    }

    private static func shortened(_ text: String) -> String {
        let first = text.split(whereSeparator: \.isNewline).first.map { String($0) } ?? ""
        return String(first.printable.prefix(60))
    }

    /// Shows the responder the UDP address of this end.
    private static func meet(
        _ channel: ControlChannel, _ endpoint: Endpoint,
        _ invitation: ResponderMessage.Invitation, _ place: String
    ) throws -> ProbeExchange {
        var socket = try ProbeSocket(port: 0, isIPv6: endpoint.address.isIPv6)
        let peer = Endpoint(endpoint.address, port: invitation.port)
        let deadline = KernelClock.monotonic + patience
        while KernelClock.monotonic < deadline {
            socket.answer(Rendezvous.datagram(invitation.token), to: peer)
            let next = KernelClock.monotonic + .milliseconds(500)
            while Readiness.wait(for: [socket.descriptor], until: next) {
                for datagram in socket.receiveFromAnybody() where datagram.sender == peer {
                    guard let cookie = Rendezvous.word(of: datagram.payload) else { continue }
                    let line = MessageLine.text(of: ClientMessage(cookie: cookie))
                    let deadline = KernelClock.monotonic + longPatience
                    try channel.send(line, until: deadline)
                    let answer = try channel.line(limit: longestLine, until: deadline)
                    guard
                        MessageLine.read(answer, as: ResponderMessage.self)?.isReady == true
                    else {
                        throw LearningError(
                            "\(place): the responder says what cannot be understood")
                    }
                    try socket.connect(to: peer)
                    return ProbeExchange(socket, isIPv6: endpoint.address.isIPv6)
                }
            }
        }
        throw LearningError(
            "\(place): TCP gets through, but no UDP; let UDP of this port through the firewall",
            status: .failed)
    }

    static func vanished(
        _ host: String, _ failure: ControlChannel.Failure
    ) -> LearningError {
        LearningError(
            "\(host): the responder vanished in the middle of the measurement: it \(failure); "
                + "start it again, and try again", status: .failed, obstacle: failure.obstacle)
    }

    // MARK: Rounds

    /// Runs a round, and returns what both ends saw of each train.
    func run(_ round: ProbeRound) throws -> [ObservedTrain] {
        do {
            let now = KernelClock.monotonic
            try channel.send(
                MessageLine.text(of: ClientMessage(round: round)), until: now + Self.longPatience)
            guard try message(within: Self.longPatience).hasStarted == true else {
                throw LearningError("\(host): the responder says what cannot be understood")
            }
            let own = try exchange.run(round, own: .up) { true }
            // A slow link needs its time for the answer.
            let answer = try message(within: ControlChannel.longestSilence)
            guard let outcome = answer.outcome, outcome.bytes <= round.packetCount * 80 else {
                throw LearningError("\(host): the responder says what cannot be understood")
            }
            let bytes = try channel.bytes(
                outcome.bytes, until: KernelClock.monotonic + ControlChannel.longestSilence)
            guard
                let arrivals = ArrivalCode.decode(
                    bytes.span, count: outcome.arrivals, below: round.endNumber),
                outcome.sent.count == round.trains(.down).count,
                outcome.tooLarge.count == outcome.sent.count
            else { throw LearningError("\(host): the responder says what cannot be understood") }
            othersPathMTU = outcome.pathMTU
            return ObservedTrain.all(
                of: round, own: own, outcome: outcome, numbers: arrivals.numbers,
                times: arrivals.times)
        } catch let failure as ControlChannel.Failure {
            throw Self.vanished(host, failure)
        }
    }

    private func message(within patience: Duration) throws -> ResponderMessage {
        let line = try channel.line(
            limit: Self.longestLine, until: KernelClock.monotonic + patience)
        guard let message = MessageLine.read(line, as: ResponderMessage.self) else {
            throw LearningError("\(host): the responder says what cannot be understood")
        }
        if let refusal = message.refusal {
            throw LearningError("\(host): the responder refuses: \(refusal.printable)")
        }
        return message
    }
}

extension ControlChannel.Failure {
    /// Nothing if the other end closed the connection, since it has reasons for that.
    fileprivate var obstacle: LearningError.Obstacle? {
        switch self {
        case .reset, .silent, .broken: .broken
        case .ended, .tooLong: nil
        }
    }
}

extension ProbeRound {
    var packetCount: Int { trains.reduce(0) { $0 + $1.count } }
}

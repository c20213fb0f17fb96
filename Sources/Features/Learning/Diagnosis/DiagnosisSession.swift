import LinkModel
import LinuxKernel
import SystemPackage

/// The client's end of a session in which it asks what the network does.
final class DiagnosisSession {
    let endpoint: Endpoint
    let invitation: DiagnosisProtocol.Invitation
    /// Where the responder's sockets are for this end.
    let doors: [Endpoint]
    /// What a round trip of TCP took.
    let roundTrip: Duration
    /// The version of the responder's program.
    let program: String
    private let host: String
    private let channel: ControlChannel
    private var room = DatagramRoom()
    private var nextNumber = 0

    private static let longestLine = 1 << 16
    /// For an answer over TCP, which has to repeat what is lost.
    private static let patience = Duration.seconds(15)
    /// For a program that may be no responder, or that a NAT has just forgotten, at each try.
    private static let greetingPatience = Duration.seconds(3)...Duration.seconds(8)
    private static let mostTries = 12
    /// For a host that is not there any more.
    private static let silencePatience = Duration.seconds(20)

    /// For a responder that does not know yet that a NAT has forgotten the first connection.
    private static let openingPatience = Duration.seconds(20)

    /// Connects to a responder, by IPv4 if it has that: only there do NATs stand.
    ///
    /// Tries again if the connection breaks, as behind a NAT that rebinds just then.
    ///
    /// - Parameter former: the session whose connection is broken, which the responder may not know, or
    ///   has segments that may not get through.
    static func open(
        to host: String, port: UInt16, program: String, insteadOf former: DiagnosisSession? = nil
    ) throws -> DiagnosisSession {
        let deadline = KernelClock.monotonic + openingPatience
        var breaks = former == nil ? 0 : 1
        while true {
            former?.sayFarewell()
            do {
                return try openOnce(
                    to: host, port: port, program: program,
                    segmentSize: former == nil ? nil : ResponderConnection.smallSegment)
            } catch let failure as LearningError {
                breaks += failure.obstacle == .broken ? 1 : 0
                let isWorthTrying = failure.obstacle != nil && (1...3).contains(breaks)
                let next = KernelClock.monotonic + .milliseconds(500)
                guard isWorthTrying, next < deadline else { throw failure }
                KernelClock.sleep(until: next)
            }
        }
    }

    private static func openOnce(
        to host: String, port: UInt16, program: String, segmentSize: Int?
    ) throws -> DiagnosisSession {
        let place = "\(host), port \(port)"
        let start = KernelClock.monotonic
        let (channel, endpoint) = try ResponderConnection.connect(
            to: host, port: port, patience: .seconds(6), prefersIPv4: true,
            segmentSize: segmentSize)
        let begin = KernelClock.monotonic
        let patience = min(
            max(greetingPatience.lowerBound, (begin - start) * 6), greetingPatience.upperBound)
        let answer = try ResponderConnection.greet(
            channel, place, program, version: DiagnosisProtocol.version,
            until: begin + patience)
        let roundTrip = KernelClock.monotonic - begin
        do {
            let line = try channel.line(limit: longestLine, until: begin + patience)
            let message: ResponderMessage? = MessageLine.read(line)
            if let refusal = message?.refusal {
                throw LearningError(
                    "\(place): the responder refuses: \(refusal.printable)", status: .failed)
            }
            guard let invitation = message?.diagnosis, invitation.isSound else {
                throw LearningError(
                    "\(place): the responder says what cannot be understood", status: .failed)
            }
            return DiagnosisSession(host, endpoint, channel, invitation, answer, roundTrip)
        } catch let failure as ControlChannel.Failure {
            throw ResponderConnection.vanished(host, failure)
        }
    }

    private init(
        _ host: String, _ endpoint: Endpoint, _ channel: ControlChannel,
        _ invitation: DiagnosisProtocol.Invitation, _ answer: Greeting, _ roundTrip: Duration
    ) {
        (self.host, self.endpoint, self.channel) = (host, endpoint, channel)
        (self.invitation, self.roundTrip) = (invitation, roundTrip)
        program = answer.program
        // A NAT that has forgotten the connection makes the responder's host reset it.
        channel.watchPeer(every: .seconds(1), patience: Self.silencePatience)
        // The responder may be known by another address here than it knows of itself.
        let own = invitation.doors[0].address
        doors = invitation.doors.map { door in
            let address = door.address == own ? endpoint.address : IPAddress(door.address)
            return Endpoint(address ?? endpoint.address, port: door.port)
        }
    }

    /// How long datagrams are waited for.
    var datagramPatience: Duration { max(.seconds(3), roundTrip * 8) }

    var segmentSizes: SegmentSizes? { channel.segmentSizes }

    // MARK: Datagrams

    /// A UDP socket of this end, and what is known of it.
    final class Probe {
        let socket: DatagramSocket
        let local: Endpoint
        /// Whether a door that it has not asked has sent to it.
        fileprivate(set) var isKnocked = false

        init(toward peer: IPAddress) throws(Errno) {
            socket = try DatagramSocket(isIPv6: peer.isIPv6)
            // The kernel knows by which address it goes there; nothing is sent.
            let route = try DatagramSocket(connectedTo: Endpoint(peer, port: 9))
            local = Endpoint(try route.own().address, port: try socket.port())
        }
    }

    /// Asks a door from where it sees a socket, a few times.
    ///
    /// - Parameter other: the door by which the responder is to knock as well.
    func ask(
        _ door: Int, by probe: Probe, _ shape: DiagnosisDatagram.Shape = .plain,
        knockBy other: Int? = nil
    ) -> Answer {
        ask([(door, probe)], shape, knockBy: other)[0]
    }

    /// What a door said, or why it said nothing.
    struct Answer {
        var passage: Passage
        var seen: Endpoint?
        /// The number of the question.
        var number: Int
    }

    /// A door that is being asked.
    private struct Question {
        let door: Int
        let probe: Probe
        let bytes: [UInt8]
        var answer: Answer
        var refusals = 0
        var isOpen = true
    }

    /// Asks several doors at once, each by a socket of its own.
    func ask(
        _ pairs: [(door: Int, probe: Probe)], _ shape: DiagnosisDatagram.Shape = .plain,
        knockBy other: Int? = nil
    ) -> [Answer] {
        var questions = pairs.map { door, probe in
            defer { nextNumber += 1 }
            return Question(
                door: door, probe: probe,
                bytes: DiagnosisDatagram.question(
                    nextNumber, token: invitation.token, shape, knockBy: other),
                answer: Answer(passage: .blocked(.drop), number: nextNumber))
        }
        guard nextNumber <= DiagnosisProtocol.mostDatagrams else {
            return questions.map {
                Answer(passage: .unknown("too many datagrams were sent"), number: $0.answer.number)
            }
        }
        let begin = KernelClock.monotonic
        let pause = max(.milliseconds(200), min(.seconds(1), roundTrip))
        var (next, tries) = (begin, 0)
        while questions.contains(where: \.isOpen) {
            let now = KernelClock.monotonic
            guard now < begin + datagramPatience else { break }
            if now >= next {
                for question in questions where question.isOpen && tries < Self.mostTries {
                    send(question.bytes, to: doors[question.door], by: question.probe)
                }
                (tries, next) = (tries + 1, now + pause)
            }
            _ = Readiness.wait(
                for: questions.filter(\.isOpen).map { $0.probe.socket.descriptor },
                until: min(next, begin + datagramPatience))
            for index in questions.indices where questions[index].isOpen { hear(&questions[index]) }
        }
        return questions.map(\.answer)
    }

    private func send(_ bytes: [UInt8], to place: Endpoint, by probe: Probe) {
        // The first call may only tell of the answer to an earlier datagram.
        let isSent = (try? probe.socket.send(bytes, to: place)) != nil
        if !isSent { try? probe.socket.send(bytes, to: place) }
    }

    private func hear(_ question: inout Question) {
        for message in receive(by: question.probe) {
            guard case .answer(question.answer.number, let seen) = message else { continue }
            (question.answer.passage, question.answer.seen) = (.passes, seen)
            question.isOpen = false
            return
        }
        while let failure = question.probe.socket.nextFailure() {
            guard failure.destination == doors[question.door] else { continue }
            question.answer.passage = .blocked(Self.answer(for: failure.reason))
            question.refusals += 1
        }
        // Once may be a mistake of the moment.
        if question.refusals > 2 { question.isOpen = false }
    }

    private func receive(by probe: Probe) -> [DiagnosisDatagram] {
        let messages = ((try? probe.socket.receive(into: &room)) ?? []).compactMap {
            DiagnosisDatagram($0.payload, token: invitation.token)
        }
        for case .knock in messages { probe.isKnocked = true }
        return messages
    }

    /// What an error of the network means as a firewall's answer.
    static func answer(for reason: Errno?) -> Firewall.Answer {
        switch reason {
        case nil: .drop
        case Errno.connectionRefused: .reset
        default: .icmp
        }
    }

    /// Whether a datagram from a door gets to a socket that has asked only the first one.
    ///
    /// Nil: the port outside changes too often to tell, since nobody gets in by an old one.
    func isReached(_ probe: Probe, from door: Int) -> Bool? {
        var (place, waits): (Endpoint?, Int) = (nil, 0)
        for _ in 0..<16 {
            let answer = ask(0, by: probe, knockBy: door)
            guard answer.passage == .passes else { return nil }
            waits += place != nil && answer.seen == place ? 1 : 0
            place = answer.seen
            let deadline = KernelClock.monotonic + max(.milliseconds(400), roundTrip * 2)
            while !probe.isKnocked, waits < 4,
                Readiness.wait(for: [probe.socket.descriptor], until: deadline)
            {
                _ = receive(by: probe)
                while probe.socket.nextFailure() != nil {}
            }
            if probe.isKnocked { return true }
            // Once may be a packet that was lost.
            if waits == 4 { return false }
        }
        return nil
    }

    /// Whether the network has forgotten the connection: it broke, but the responder's host is there.
    func isForgotten(after failure: LearningError) -> Bool {
        failure.obstacle == .broken && connect(to: endpoint.port) == .passes
    }

    /// Tells the responder that nothing more is asked, whatever became of the connection.
    ///
    /// While it measures, the responder hears that at its other ports alone.
    func sayFarewell() {
        guard let probe = try? Probe(toward: endpoint.address) else { return }
        let bytes = DiagnosisDatagram.farewell(token: invitation.token)
        for _ in 0..<3 {
            for door in doors { send(bytes, to: door, by: probe) }
        }
    }

    /// What has arrived there; whether by the address of the connection.
    func arrivals() throws -> [Int: Bool] {
        try say(ClientMessage(asksArrivals: true))
        guard let arrivals = try message().arrivals,
            arrivals.count <= DiagnosisProtocol.mostDatagrams
        else {
            throw nonsense
        }
        return Dictionary(
            arrivals.map { ($0.datagram, $0.isExpected) }, uniquingKeysWith: { $0 || $1 })
    }

    // MARK: Connections

    /// What becomes of a TCP connection to another port of the responder.
    func connect(to port: UInt16) -> Passage {
        let place = Endpoint(endpoint.address, port: port)
        do {
            let stream = try StreamSocket(connectingTo: place)
            guard Readiness.isWritable(stream.descriptor, within: datagramPatience + .seconds(1))
            else { return .blocked(.drop) }
            try stream.checkError()
            return .passes
        } catch {
            return .blocked(error == .timedOut ? .drop : Self.answer(for: error))
        }
    }

    // MARK: Measuring

    /// Goes on as `learn` does.
    func measuring() throws -> ResponderConnection {
        try say(ClientMessage(measures: true))
        return try ResponderConnection.meeting(host, endpoint, channel, program: program)
    }

    private var nonsense: LearningError {
        LearningError("\(host): the responder says what cannot be understood", status: .failed)
    }

    private func say(_ message: ClientMessage) throws {
        do {
            try channel.send(
                MessageLine.text(of: message), until: KernelClock.monotonic + Self.patience)
        } catch {
            throw ResponderConnection.vanished(host, error)
        }
    }

    private func message() throws -> ResponderMessage {
        do {
            let line = try channel.line(
                limit: Self.longestLine, until: KernelClock.monotonic + Self.patience)
            guard let message: ResponderMessage = MessageLine.read(line) else { throw nonsense }
            if let refusal = message.refusal {
                throw LearningError(
                    "\(host): the responder refuses: \(refusal.printable)", status: .failed)
            }
            return message
        } catch let failure as ControlChannel.Failure {
            throw ResponderConnection.vanished(host, failure)
        }
    }
}

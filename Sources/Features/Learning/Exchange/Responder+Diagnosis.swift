import LinuxKernel

/// Answers a client that asks what the network does.
///
/// Theory of operation. The responder opens a few sockets, tells the client of them and of a token,
/// and from then on answers each datagram with the token by saying from where it came, and with a
/// second datagram by another door if it asks for that. Over TCP the client may ask for a list of
/// what has arrived. Datagrams are only ever sent to the address of the TCP connection, what answers
/// a datagram is no longer than that, and their number is limited.
///
/// A NAT that forgets breaks the TCP connection, and only the client sees it. So the rest is asked by
/// datagrams, the client says farewell by one, and one that says nothing at all is not waited for.
extension Responder {
    private static let longestDiagnosis = Duration.seconds(180)
    private static let mostAnswers = 2000
    private static let mostKnocks = 200
    /// For the first question, which follows the invitation at once.
    private static let firstPatience = Duration.seconds(12)
    private static let longestSilence = Duration.seconds(60)

    /// What a responder knows of one diagnosis.
    private struct Session {
        let doors: DiagnosisDoors
        let token: String
        let peer: IPAddress
        var isOver = false
        /// When the client was heard last; nil: never.
        var lastWord: Duration?
        var arrivals: [Int: Bool] = [:]
        var answers = 0
        var knocks = 0
    }

    /// Answers until the client wants to measure; nil if it has gone.
    func diagnose(_ client: Client, _ peer: Endpoint) throws -> FarewellEars? {
        let channel = client.channel
        let own = try channel.own()
        let doors: DiagnosisDoors
        do {
            doors = try DiagnosisDoors(
                at: own, otherAddresses: isEverywhere ? OwnAddresses.reachable() : [])
        } catch {
            try say(.init(refusal: "UDP port \(own.port): \(error)"), channel)
            throw End(description: "UDP port \(own.port) cannot be opened: \(error)")
        }
        var session = Session(
            doors: doors, token: Rendezvous.secret(), peer: peer.address)
        let opening = channel.takeOpening()
        try say(
            .init(
                diagnosis: .init(
                    token: session.token,
                    doors: doors.doors.map {
                        .init(address: "\($0.place.address)", port: $0.place.port)
                    }, streamPorts: doors.streamPorts,
                    clientSegment: OpeningPacket.segmentSize(opening),
                    ownSegment: channel.segmentSizes?.announced)), channel)
        let begin = KernelClock.monotonic
        while !session.isOver {
            let now = KernelClock.monotonic
            guard now < begin + Self.longestDiagnosis else {
                throw End(description: "asked for too long; closed")
            }
            let last = session.lastWord.map { $0 + Self.longestSilence }
            guard now < last ?? begin + Self.firstPatience else {
                throw End(description: "asked nothing for too long; closed")
            }
            turnOthersAway()
            _ = Readiness.wait(
                for: doors.descriptors + [channel.descriptor],
                until: KernelClock.monotonic + .milliseconds(200))
            doors.dismissStreams()
            for door in doors.doors { answer(at: door, &session) }
            // Half a line would be there for ever, so only whole ones count.
            while true {
                let line: String
                do {
                    line = try channel.line(limit: Self.longestLine, until: .zero)
                } catch ControlChannel.Failure.silent {
                    break
                } catch ControlChannel.Failure.ended, ControlChannel.Failure.reset {
                    return nil
                }
                session.lastWord = KernelClock.monotonic
                if try obey(line, &session, channel) {
                    // The measurement needs this port at all addresses.
                    return FarewellEars(
                        doors.doors.filter { $0.place.port != own.port }, token: session.token,
                        peer: peer.address)
                }
            }
        }
        return nil
    }

    private func answer(at door: DiagnosisDoors.Door, _ session: inout Session) {
        for datagram in session.doors.receive(at: door) {
            let isExpected = datagram.sender.address == session.peer
            let (number, other): (Int, Int?)
            switch DiagnosisDatagram(datagram.payload, token: session.token) {
            case .question(let asked): (number, other) = (asked, nil)
            case .request(let asked, let door): (number, other) = (asked, door)
            case .farewell:
                session.isOver = session.isOver || isExpected
                continue
            default: continue
            }
            session.arrivals[number] = isExpected || session.arrivals[number] == true
            guard isExpected, session.answers < Self.mostAnswers else { continue }
            session.lastWord = KernelClock.monotonic
            session.answers += 1
            try? door.socket.send(
                DiagnosisDatagram.answer(number, token: session.token, seen: datagram.sender),
                to: datagram.sender)
            let doors = session.doors.doors
            guard let other, doors.indices.contains(other), session.knocks < Self.mostKnocks
            else { continue }
            session.knocks += 1
            try? doors[other].socket.send(
                DiagnosisDatagram.knock(number, token: session.token), to: datagram.sender)
        }
    }

    /// Does what a line says; true if the client wants to measure.
    private func obey(
        _ line: String, _ session: inout Session, _ channel: ControlChannel
    ) throws -> Bool {
        guard let message: ClientMessage = MessageLine.read(line) else {
            throw End(description: "said something else than a question; closed")
        }
        if message.asksArrivals == true {
            let arrivals = session.arrivals.sorted { $0.key < $1.key }.map {
                DiagnosisProtocol.Arrival(datagram: $0.key, isExpected: $0.value)
            }
            try say(.init(arrivals: arrivals), channel)
            return false
        }
        guard message.measures == true else {
            throw End(description: "said something else than a question; closed")
        }
        return true
    }
}

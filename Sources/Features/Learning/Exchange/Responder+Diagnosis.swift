import LinuxKernel

/// Answers a client that asks what the network does.
///
/// Theory of operation. The responder opens a few sockets, tells the client of them and of a token,
/// and from then on answers each datagram with the token by saying from where it came. The client
/// may also ask over TCP for a datagram to one of its own sockets by another door, and for a list of
/// what has arrived. Datagrams are only ever sent to the address of the TCP connection, none is
/// longer than the one that it answers, and their number is limited.
extension Responder {
    private static let longestDiagnosis = Duration.seconds(180)
    private static let mostAnswers = 2000
    private static let mostKnocks = 200

    /// What a responder knows of one diagnosis.
    private struct Session {
        let doors: DiagnosisDoors
        let token: String
        let peer: IPAddress
        var sources: [Int: Endpoint] = [:]
        var arrivals: [Int: Bool] = [:]
        var answers = 0
        var knocks = 0
    }

    /// Answers until the client wants to measure; false if it has gone.
    func diagnose(_ client: Client, _ peer: Endpoint) throws -> Bool {
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
        let end = KernelClock.monotonic + Self.longestDiagnosis
        while KernelClock.monotonic < end {
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
                } catch ControlChannel.Failure.ended {
                    return false
                }
                if try obey(line, &session, channel) { return true }
            }
        }
        throw End(description: "asked for too long; closed")
    }

    private func answer(at door: DiagnosisDoors.Door, _ session: inout Session) {
        for datagram in session.doors.receive(at: door) {
            guard
                case .question(let number) = DiagnosisDatagram(
                    datagram.payload, token: session.token)
            else { continue }
            let isExpected = datagram.sender.address == session.peer
            session.arrivals[number] = isExpected || session.arrivals[number] == true
            guard isExpected, session.answers < Self.mostAnswers else { continue }
            session.answers += 1
            session.sources[number] = datagram.sender
            try? door.socket.send(
                DiagnosisDatagram.answer(number, token: session.token, seen: datagram.sender),
                to: datagram.sender)
        }
    }

    /// Does what a line says; true if the client wants to measure.
    private func obey(
        _ line: String, _ session: inout Session, _ channel: ControlChannel
    ) throws -> Bool {
        guard let message: ClientMessage = MessageLine.read(line) else {
            throw End(description: "said something else than a question; closed")
        }
        if let knock = message.knock {
            guard session.knocks < Self.mostKnocks else {
                try say(.init(refusal: "that is too many datagrams"), channel)
                throw End(description: "asked for too many datagrams; closed")
            }
            session.knocks += 1
            let doors = session.doors.doors
            let source = doors.indices.contains(knock.door) ? session.sources[knock.datagram] : nil
            if let source {
                try? doors[knock.door].socket.send(
                    DiagnosisDatagram.knock(knock.datagram, token: session.token), to: source)
            }
            try say(.init(hasKnocked: source != nil), channel)
            return false
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

import LinkModel
import LinkUnits
public import LinuxKernel

/// Finds out what the network does that this host is on.
///
/// Theory of operation. First what needs nobody's help: the routes, the name server, a captive
/// portal. Then a responder is asked (`Responder+Diagnosis`): by which address and port it sees
/// sockets of this host (NAT), which datagrams and connections get through and what those who do not
/// are told (firewalls), which segment sizes arrived (MSS clamping), and, by rounds of probes as for
/// `learn`, how large packets may be. `NetworkFacts` keeps what was seen; what it means, and the
/// profile of it, are functions of that.
public struct NetworkDiagnosis {
    /// Whom to ask.
    public struct Request: Sendable {
        /// The responder.
        public var host: String
        /// Its port.
        public var port: UInt16
        /// The name server; nil: none is known.
        public var nameServer: IPAddress?
        /// The version of this program.
        public var program: String

        /// Asks for a diagnosis.
        public init(host: String, port: UInt16, nameServer: IPAddress?, program: String) {
            (self.host, self.port) = (host, port)
            (self.nameServer, self.program) = (nameServer, program)
        }
    }

    private let request: Request
    private let report: (String) -> Void
    private var facts = NetworkFacts()
    /// Whether the connection to the responder has broken, though it answers datagrams.
    private var isBroken = false

    private static let portalPatience = Duration.seconds(5)
    /// The sizes of packets are measured between two changes of a NAT that are not closer than this.
    private static let longEnough = Duration.seconds(5)

    /// Finds out, and calls `report` with what is being done.
    ///
    /// Without a responder the result says so, and has what could be found out without one.
    public static func run(
        _ request: Request, report: @escaping (String) -> Void
    ) -> NetworkFindings {
        var diagnosis = NetworkDiagnosis(request: request, report: report)
        let problem = diagnosis.run()
        return NetworkFindings(diagnosis.facts, host: request.host, problem: problem)
    }

    private init(request: Request, report: @escaping (String) -> Void) {
        (self.request, self.report) = (request, report)
    }

    private mutating func run() -> LearningError? {
        facts.hasIPv4 = Self.hasRoute(to: IPAddress(ipv4: 0xc000_0201))
        facts.hasIPv6 = Self.hasRoute(to: IPAddress(ipv6High: 0x2001_0db8_0000_0000, low: 1))
        if let server = request.nameServer { report("asking the name server \(server)") }
        facts.resolver = NameQuestions.facts(of: request.nameServer, hasIPv4: facts.hasIPv4)
        report("looking for a captive portal")
        facts.portal = portal()
        do {
            report("connecting to \(request.host)")
            try askResponder()
            return nil
        } catch {
            let problem =
                error as? LearningError
                ?? LearningError("\(request.host): \(error)", status: .failed)
            if case .absent = facts.responder { facts.responder = .absent(problem.description) }
            return problem
        }
    }

    /// Whether packets would leave this host; none is sent.
    private static func hasRoute(to address: IPAddress) -> Bool {
        (try? DatagramSocket(connectedTo: Endpoint(address, port: 9))) != nil
    }

    private func portal() -> PortalFact {
        guard request.nameServer != nil else { return .unknown("no name server is known") }
        guard case .addresses(let addresses) = facts.resolver.portalName,
            let address = addresses.first
        else { return .unknown("the name server has no address of \(PortalFact.name)") }
        let answer = BriefStream.exchange(
            with: Endpoint(address, port: 80), Array(PortalFact.request.utf8),
            patience: Self.portalPatience
        ) { _ in false }
        switch answer {
        case .success(let bytes): return PortalFact(response: bytes)
        case .failure(let errno): return .nothing("\(address), port 80: \(errno)")
        }
    }

    // MARK: Responder

    private mutating func askResponder() throws {
        let session = try DiagnosisSession.open(
            to: request.host, port: request.port, program: request.program)
        do {
            try ask(session)
        } catch let failure as LearningError where session.isForgotten(after: failure) {
            throw forgotten(session)
        }
    }

    private func forgotten(_ session: DiagnosisSession) -> LearningError {
        // The responder would be busy for a while.
        session.sayFarewell()
        return LearningError(
            "\(request.host): the connection to the responder broke, though its host is there: "
                + "something on the way forgets connections, such as a NAT or a firewall, or "
                + "the responder hangs or was started again; try again", status: .failed)
    }

    private mutating func ask(_ session: DiagnosisSession) throws {
        facts.responder = .reached(session.endpoint, program: session.program)
        report("connected to \(session.endpoint), linkcond \(session.program)")
        seeSegments(session)
        facts.translation = .unknown(NetworkFacts.brokenOff)
        facts.rebinding = .unknown(NetworkFacts.brokenOff)
        report("UDP and QUIC")
        let doors = try askDoors(session)
        var watch: PortWatch?
        if facts.datagrams.first?.passage == .passes {
            watch = PortWatch(session, try probe(session))
            askQUIC(session)
            report("NAT")
            facts.translation = try translation(session, otherPorts: doors)
        } else {
            facts.translation = .unknown("UDP does not pass")
            facts.rebinding = .unknown("UDP does not pass")
        }
        report("TCP")
        let streams = session.invitation.streamPorts.map {
            NetworkFacts.PortPassage(port: $0, passage: session.connect(to: $0))
        }
        // Likewise.
        if streams.contains(where: { $0.passage != .passes }) { _ = try arrivals(session) }
        facts.streams = streams
        guard let watch else { return }
        report("whether the NAT gives other ports")
        facts.rebinding = watch.fact(isSuspicious: isBroken)
        try findSizes(session)
    }

    /// Finds the largest packets, over a connection that is made for that.
    private mutating func findSizes(_ first: DiagnosisSession) throws {
        var session = first
        // Where the NAT gives other ports, it did so a moment ago.
        while facts.rebinding.interval.map({ $0 >= Self.longEnough }) ?? true {
            session = try again(insteadOf: session)
            do {
                return try measureSizes(session)
            } catch let failure as LearningError where session.isForgotten(after: failure) {
                if facts.rebinding.isSeen { break }
                report("whether the NAT gives other ports, since the connection broke")
                session = try again(insteadOf: session)
                guard let watch = PortWatch(session, try probe(session)) else { throw failure }
                facts.rebinding = watch.fact(isSuspicious: true)
                guard facts.rebinding.isSeen else { throw forgotten(session) }
            }
        }
        // The responder does not see that its connection is broken.
        session.sayFarewell()
    }

    private func again(insteadOf session: DiagnosisSession) throws -> DiagnosisSession {
        try DiagnosisSession.open(
            to: request.host, port: request.port, program: request.program, insteadOf: session)
    }

    private mutating func measureSizes(_ session: DiagnosisSession) throws {
        report("the largest packet")
        let sizes = try PacketSizes.find(session.measuring(), roundTrip: session.roundTrip)
        (facts.upSize, facts.downSize) = (sizes[.up], sizes[.down])
    }

    private mutating func seeSegments(_ session: DiagnosisSession) {
        guard let own = session.segmentSizes else { return }
        if let arrived = session.invitation.clientSegment {
            facts.upSegment = .init(announced: own.announced, arrived: arrived)
        }
        if let announced = session.invitation.ownSegment {
            // This host sends no more than it has room for itself.
            facts.downSegment = .init(
                announced: min(announced, own.announced), arrived: own.permitted)
        }
    }

    /// Asks all ports of the responder's first address; returns the other doors that answer.
    private mutating func askDoors(_ session: DiagnosisSession) throws -> [Int] {
        let indices = session.doors.indices.filter {
            session.doors[$0].address == session.endpoint.address
        }
        let answers = session.ask(try indices.map { ($0, try probe(session)) })
        // What a responder that has gone does not answer, no network blocks.
        let arrivals = answers.allSatisfy { $0.passage == .passes } ? [:] : try arrivals(session)
        var passing: [Int] = []
        for (index, answer) in zip(indices, answers) {
            var passage = answer.passage
            // The way there may be open, and only the way back be closed.
            if passage == .blocked(.drop), let isExpected = arrivals[answer.number] {
                passage = isExpected ? .outward : .otherAddress
            }
            facts.datagrams.append(.init(port: session.doors[index].port, passage: passage))
            if passage == .passes, index > 0 { passing.append(index) }
        }
        return passing
    }

    /// What has arrived at the responder; nothing is known of it behind a NAT that has forgotten the
    /// connection, but that the responder is there.
    private mutating func arrivals(_ session: DiagnosisSession) throws -> [Int: Bool] {
        do {
            return try session.arrivals()
        } catch let failure as LearningError where failure.obstacle == .broken {
            guard session.ask(0, by: try probe(session)).passage == .passes else { throw failure }
            isBroken = true
            return [:]
        }
    }

    private func probe(_ session: DiagnosisSession) throws -> DiagnosisSession.Probe {
        do {
            return try DiagnosisSession.Probe(toward: session.endpoint.address)
        } catch {
            throw LearningError("a UDP socket cannot be opened: \(error)")
        }
    }

    private mutating func askQUIC(_ session: DiagnosisSession) {
        guard let long = try? probe(session), let quic = try? probe(session) else { return }
        facts.longDatagrams = session.ask(0, by: long, .long).passage
        guard facts.longDatagrams == .passes else { return }
        facts.quic = session.ask(0, by: quic, .quic).passage
    }

    private func translation(
        _ session: DiagnosisSession, otherPorts: [Int]
    ) throws -> TranslationFact {
        var seen = TranslationObservations()
        let otherPort = otherPorts.first
        let candidates = session.doors.indices.filter {
            session.doors[$0].address != session.endpoint.address
        }
        let reachable = session.ask(try candidates.map { ($0, try probe(session)) })
        let otherAddress = zip(candidates, reachable).first { $1.passage == .passes }?.0
        // More are asked where the port changes in between.
        for round in 0..<6 where round < 2 || seen.series.filter(\.isSteady).count < 2 {
            let probe = try probe(session)
            var mappings: [TranslationObservations.Mapping] = []
            for door in [0, otherPort, otherAddress, 0].compactMap({ $0 }) {
                guard let place = session.ask(door, by: probe).seen else { continue }
                mappings.append(.init(door: session.doors[door], seen: place))
            }
            seen.series.append(.init(local: probe.local, mappings: mappings))
            if mappings.count < 2 { break }
        }
        seen.passesOtherPort = try isReached(session, from: otherPort)
        seen.passesOtherAddress = try isReached(session, from: otherAddress)
        return seen.fact
    }

    /// Whether sockets that have asked the first door only are reached by another one.
    ///
    /// One may have the port of an earlier socket, which has asked that door, and of which the NAT
    /// still knows.
    private func isReached(_ session: DiagnosisSession, from door: Int?) throws -> Bool? {
        guard let door else { return nil }
        let first = session.isReached(try probe(session), from: door)
        return first == true ? session.isReached(try probe(session), from: door) : first
    }
}

import LinkModel
import LinkUnits

extension Explanation {
    /// The explanation of a run whose packets were all taken.
    init(_ model: RunModel, _ facts: CaptureReader.Facts, name: String) {
        let range = Self.range(model, facts)
        let origin = range.lowerBound
        let critical = model.path(until: range.upperBound)
        let finished = model.finish()
        let path = Self.stretches(model, critical, range, finished)
        self.name = name
        self.path = path
        comment = facts.comment
        duration = range.upperBound - origin
        hasTimesOfCommand = facts.run != nil
        let lateness = path.lazy.flatMap(\.waits).filter { $0.kind.component == .lateness }
            .map(\.length).reduce(.zero, +)
        let isLate = lateness > (range.upperBound - origin) * Self.harmlessLateness
        isFaithful =
            facts.flaw != nil || isLate ? false : facts.run != nil && facts.isOurs ? true : nil
        names = model.names.names
        transmission = model.transmission
        let sums = path.reduce(into: [Int: [WaitKind: Duration]]()) { sums, stretch in
            for part in stretch.parts {
                guard let connection = part.owner.connection else { continue }
                for wait in part.waits {
                    sums[connection, default: [:]][wait.kind, default: .zero] += wait.length
                }
            }
        }
        connections = finished.map { $0.placed(since: origin, critical: sums[$0.index] ?? [:]) }
        omittedConnections = model.omittedConversations
        let lengths = path.reduce(into: [CriticalPath.Owner: Duration]()) { sums, stretch in
            for part in stretch.parts {
                sums[part.owner, default: .zero] += part.waits.map(\.length).reduce(.zero, +)
            }
        }
        requests = model.exchanges.map { exchange in
            let owner = CriticalPath.Owner(
                connection: exchange.connection, exchange: exchange.exchange.index)
            return Request(exchange, since: origin, critical: lengths[owner] ?? .zero)
        }.sorted { ($0.start, $0.connection, $0.index) < ($1.start, $1.connection, $1.index) }
        notes =
            Self.doubts(facts, lateness: isLate ? lateness : nil)
            + Self.notes(model, facts, isSummedUp: path.contains { $0.several != nil })
        advice = Advice.all(for: self)
    }

    /// The share of a run for which packets may be late without a change of its character.
    private static let harmlessLateness = 0.01

    /// Why the run was not exact.
    private static func doubts(_ facts: CaptureReader.Facts, lateness: Duration?) -> [String] {
        var reasons = [facts.flaw].compactMap(\.self)
        if let lateness {
            reasons.append("the run waited \(lateness.readableText) for packets that were late")
        }
        guard !reasons.isEmpty else { return [] }
        return [
            reasons.joined(separator: "; ")
                + "; another run may have other shares, and wait less for its app and servers"
        ]
    }

    /// From when to when the run lasted.
    private static func range(
        _ model: RunModel, _ facts: CaptureReader.Facts
    ) -> Range<Duration> {
        guard let run = facts.run, run.upperBound > model.start else {
            return model.earliest..<max(model.now, model.start + .nanoseconds(1))
        }
        return min(run.lowerBound, model.earliest)..<run.upperBound
    }

    private static func stretches(
        _ model: RunModel, _ path: CriticalPath, _ range: Range<Duration>,
        _ connections: [Connection]
    ) -> [Stretch] {
        let origin = range.lowerBound
        let counts = Dictionary(
            connections.map { ($0.index, $0.requests) }, uniquingKeysWith: { first, _ in first })
        var stretches = path.sectionsFromEnd.map { section in
            // What was taken for a request at its end belongs to the last one.
            let last = section.owner.connection.flatMap { counts[$0] }.map { max(0, $0 - 1) }
            return Stretch(
                connection: section.owner.connection,
                request: section.owner.exchange.map { min($0, last ?? $0) },
                start: section.start - origin, end: section.end - origin, waits: section.waits,
                several: section.parts)
        }
        if model.start > origin {
            // Until the first packet, the app starts.
            let start = model.start - origin
            stretches.append(
                Stretch(
                    start: .zero, end: start, waits: [Wait(kind: WaitKind(.app), length: start)]))
        }
        return stretches.reversed()
    }

    private static func notes(
        _ model: RunModel, _ facts: CaptureReader.Facts, isSummedUp: Bool
    ) -> [String] {
        var notes: [String] = []
        if let damage = facts.damage {
            notes.append("the capture \(damage): what follows is not explained")
        }
        if facts.packets == 0 {
            notes.append("the command sent and received nothing")
        } else if facts.packetsWithFate == 0 {
            notes.append(
                "the capture does not say what the link did to packets, so it was not made by linkcond "
                    + "run --pcap: the network counts as the server's time, and nothing can be said of "
                    + "delay, bandwidth, queue and loss")
        } else if facts.packetsWithFate < facts.packets {
            let count = facts.packets - facts.packetsWithFate
            notes.append("\(count) packets have no fate in the capture and count as undelayed")
        }
        if facts.run == nil {
            notes.append(
                "the capture does not say when the command started and ended: the run counts from the "
                    + "first packet to the last")
        }
        if facts.missingPackets > 0 {
            notes.append(
                "\(facts.missingPackets) packets are missing in the capture; what waited for them may "
                    + "have a wrong cause")
        }
        if facts.otherPackets > 0, facts.otherPackets == facts.packets {
            notes.append(
                "no packet is of TCP or UDP; what waited for others counts as the app's time")
        }
        for (type, count) in facts.unknownLinkTypes.sorted(by: { $0.key < $1.key }) {
            notes.append("\(count) packets of link type \(type) are left out")
        }
        if model.unorderedPackets > 0 {
            notes.append(
                "the times of \(model.unorderedPackets) packets are not in order, so that times and causes "
                    + "around them may be wrong; sort them first: reordercap FILE SORTED")
        }
        if model.omittedExchanges > 0 {
            notes.append("\(model.omittedExchanges) further requests are not listed")
        }
        if model.omittedConversations > 0 {
            notes.append("\(model.omittedConversations) further connections are not listed")
        }
        if isSummedUp {
            notes.append(
                "the run is long: its early part is summed up, and its shares of single requests may "
                    + "be missing")
        }
        if model.hasQUIC {
            notes.append(
                "QUIC is encrypted: its acknowledgements, retransmissions and windows cannot be seen"
            )
        }
        return notes
    }
}

extension Explanation.Connection {
    /// A conversation with times of the capture, and without its part of the path.
    init(_ conversation: Conversation) {
        index = conversation.index
        kind = conversation.kind
        (near, far) = (conversation.near, conversation.far)
        serverName = conversation.serverName
        group = conversation.group
        (start, end) = (conversation.start, conversation.end)
        handshakeEnd = conversation.handshakeEnd
        let owner = CriticalPath.Owner(connection: conversation.index)
        handshake =
            conversation.handshakePath.map { path in
                // The app may take a moment before its first request.
                path.sectionsFromEnd.drop { $0.owner == .app && $0.start >= conversation.start }
                    .prefix { $0.owner == owner && $0.parts == nil }.reversed()
                    .flatMap(\.waits)
            } ?? []
        packets = conversation.packets
        firstPacket = conversation.firstPacket
        (upBytes, downBytes) = (conversation.upBytes, conversation.downBytes)
        requests = conversation.exchangeCount
        isRefused = conversation.isRefused
        drops = conversation.drops.reduce(into: [:]) { $0["\($1.key)"] = $1.value }
        lostPackets = conversation.lostPackets
        fastRetransmissions = conversation.fastRetransmissions
        timeoutRetransmissions = conversation.timeoutRetransmissions
        roundTrips = conversation.roundTrips
        critical = []
    }

    /// The same with times since the start of the run.
    fileprivate func placed(
        since origin: Duration, critical: [WaitKind: Duration]
    ) -> Explanation.Connection {
        var connection = self
        connection.start -= origin
        connection.end -= origin
        connection.handshakeEnd = handshakeEnd.map { $0 - origin }
        connection.critical = critical.map { Wait(kind: $0, length: $1) }
            .sorted { ($1.length, $0.kind) < ($0.length, $1.kind) }
        return connection
    }
}

extension Explanation.Request {
    fileprivate init(
        _ finished: FinishedExchange, since origin: Duration, critical: Duration
    ) {
        let exchange = finished.exchange
        connection = finished.connection
        index = exchange.index
        start = exchange.start - origin
        // In a capture out of order, an answer may seem to precede its request.
        firstByte = exchange.firstByte.map { max($0, exchange.start) - origin }
        end = exchange.end.map { max($0, exchange.start) - origin }
        method = exchange.request?.request.method
        target = exchange.request?.request.target
        status = exchange.response?.status
        requestBytes = exchange.requestBytes
        responseBytes = exchange.responseBytes
        packets = exchange.packets
        idle = exchange.idle
        mostInFlight = exchange.mostInFlight
        requestTransmission = exchange.requestTransmission
        responseTransmission = exchange.responseTransmission
        hasLosses = exchange.hasLosses
        hasOnlyQueueLosses = exchange.hasOnlyQueueLosses
        (requestWindow, responseWindow) = exchange.windows
        waits = finished.waits
        self.critical = critical
    }
}

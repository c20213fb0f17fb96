import DequeModule
import LinkModel

/// All conversations of a run, and what its app waited for.
final class RunModel {
    /// When the run started, where all paths begin: with the first event.
    private(set) var start: Duration
    /// The time of the earliest event, which comes after others if the capture is not in order.
    private(set) var earliest: Duration
    /// What the app got, and what was waited for until then; not all, since the end of the run comes
    /// to light late, and packets may arrive after it.
    private var gains = Deque<Progress>()
    /// Those that may go on.
    private var current: [Sockets: Conversation] = [:]
    private var conversationCount = 0
    /// Those that are over, or have been idle for longest, with times of the capture.
    private var finished: [Explanation.Connection] = []
    private(set) var omittedConversations = 0
    private(set) var hasQUIC = false
    /// How many packets were taken.
    private var events = 0
    /// The first conversation of each Multipath TCP connection.
    private var groups: [UInt32: Int] = [:]
    /// Finished requests, as long as there are not too many.
    private(set) var exchanges: [FinishedExchange] = []
    private(set) var omittedExchanges = 0
    var names = NameQueries()
    /// The time of the latest event.
    private(set) var now: Duration
    /// Packets that were sent before others that the capture showed earlier.
    private(set) var unorderedPackets = 0
    /// How long the bottleneck of each direction took for all packets.
    private(set) var transmission: [Direction: Duration] = [:]

    private static let mostExchanges = 5000
    private static let mostFinished = 5000
    private static let mostGroups = 10_000
    /// How many conversations are followed at once.
    private static let mostCurrent = 2048
    /// How many sections the critical path has at most, about.
    private static let mostSections = 8192
    /// After how many packets it is summed up.
    private static let sumPeriod = 1 << 16
    /// After how many packets conversations are finished that are over.
    private static let overPeriod = 1 << 12
    /// How long a conversation that is over may get late packets.
    private static let quiet = Duration.seconds(5)
    private static let mostGains = 1 << 14
    /// An app that sends within this time of an answer sends because of it.
    private static let reaction = Duration.milliseconds(50)

    private struct Sockets: Hashable {
        var near: SocketName
        var far: SocketName
        var isTCP: Bool
    }

    init(start: Duration) {
        (self.start, earliest, now) = (start, start, start)
    }

    /// The conversation of a packet, which begins with it if there is none.
    func conversation(of packet: CapturedPacket, _ direction: Direction) -> Conversation {
        let (near, far) =
            direction == .up
            ? (packet.source, packet.destination) : (packet.destination, packet.source)
        let key: Sockets
        switch packet.transport {
        case .tcp(let header):
            key = Sockets(near: near, far: far, isTCP: true)
            let isAnew = header.isSYN && !header.isACK
            if let known = current[key] as? TCPConversation {
                guard isAnew && known.isOver(header, sent: packet.sent) else { return known }
                finish(known)
            }
        case .udp:
            key = Sockets(near: near, far: far, isTCP: false)
            if let known = current[key] { return known }
        }
        if current.count >= 2 * Self.mostCurrent { finishIdle() }
        let index = conversationCount
        conversationCount += 1
        let new =
            key.isTCP
            ? TCPConversation(packet, index: index, near: near, far: far, kind: .tcp)
            : DatagramConversation(packet, index: index, near: near, far: far)
        current[key] = new
        return new
    }

    private func finishOver() {
        for (key, conversation) in current
        where conversation.isOver && now - conversation.end > Self.quiet {
            current[key] = nil
            finish(conversation)
        }
    }

    /// Finishes the conversations that have been idle for longest.
    private func finishIdle() {
        let idle = current.sorted { $0.value.end < $1.value.end }.dropLast(Self.mostCurrent)
        for (key, conversation) in idle {
            current[key] = nil
            finish(conversation)
        }
    }

    private func finish(_ conversation: Conversation) {
        conversation.finish(in: self)
        hasQUIC = hasQUIC || conversation.kind == .quic
        if conversation.index < Self.mostFinished {
            finished.append(Explanation.Connection(conversation))
        } else {
            omittedConversations += 1
        }
    }

    /// Joins a subflow to its Multipath TCP connection.
    func join(_ conversation: Conversation, token: UInt32) {
        if let first = groups[token] {
            conversation.group = first
        } else if groups.count < Self.mostGroups {
            groups[token] = conversation.index
            conversation.group = conversation.index
        }
    }

    /// Takes the next event in the order of time.
    func take(_ event: EventQueue.Event, at time: Duration) {
        if time < now, case .sent = event { unorderedPackets += 1 }
        now = max(now, time)
        earliest = min(earliest, time)
        switch event {
        case .sent(let transit):
            // The first to be sent need not be the first in the capture.
            if events == 0 { start = earliest }
            transit.path = CriticalPath(from: start)
            transit.conversation.count(transit)
            transmission[transit.direction, default: .zero] +=
                transit.packet.fate.transmission ?? .zero
            transit.conversation.sent(transit, in: self)
            events += 1
            if events % Self.overPeriod == 0 { finishOver() }
            if events % Self.sumPeriod == 0 { gains.last?.path.sumUp(to: Self.mostSections) }
        case .delivered(let transit):
            transit.conversation.arrived(transit, in: self)
        }
    }

    /// What the app has got.
    func appGot(_ progress: Progress) {
        if gains.count == Self.mostGains { gains.removeFirst() }
        gains.append(progress)
    }

    /// What led to what an end of the link sends now.
    ///
    /// - Parameter own: What last happened on the same connection.
    func trigger(_ direction: Direction, at time: Duration, own: Progress?) -> CriticalPath {
        let beginning = CriticalPath(from: start)
        guard direction == .up else { return own?.path ?? beginning }
        guard let latest = gains.last else { return own?.path ?? beginning }
        guard let own else { return latest.path }
        return time - own.time <= Self.reaction || own.time >= latest.time
            ? own.path : latest.path
    }

    func take(_ exchange: Exchange, of conversation: Conversation) {
        guard exchanges.count < Self.mostExchanges else {
            omittedExchanges += 1
            return
        }
        exchanges.append(FinishedExchange(exchange, of: conversation))
    }

    /// What was waited for until the end of the run.
    func path(until end: Duration) -> CriticalPath {
        let path = wholePath(until: end)
        path.sumUp(to: Self.mostSections)
        return path
    }

    private func wholePath(until end: Duration) -> CriticalPath {
        let latest = gains.last { $0.path.end <= end }
        let beginning = CriticalPath(from: start)
        // An app that ends right after it got something ended because of it.
        if end - (latest?.time ?? start) > Self.reaction {
            let waits = current.values.compactMap { $0.openWait(at: end) }
                .filter { $0.path.end == end }
            if let wait = waits.max(by: { $0.time < $1.time }) { return wait.path }
        }
        return (latest?.path ?? beginning).extended(to: end, by: WaitKind(.app), of: .app)
    }

    /// Ends what is still under way, and returns all conversations in the order of their beginnings.
    func finish() -> [Explanation.Connection] {
        for conversation in current.values.sorted(by: { $0.index < $1.index }) {
            finish(conversation)
        }
        current = [:]
        return finished.sorted { $0.index < $1.index }
    }
}

/// A request with what was waited for during it.
struct FinishedExchange {
    var exchange: Exchange
    let connection: Int
    /// From its start to its end.
    let waits: [Wait]

    init(_ exchange: Exchange, of conversation: Conversation) {
        self.exchange = exchange
        connection = conversation.index
        let sections = exchange.path?.sectionsFromEnd.prefix { section in
            guard section.parts == nil, section.end > exchange.start else { return false }
            // The app may take a moment in the middle of a request.
            if section.owner == .app { return section.start >= exchange.start }
            // Packets of what was taken for another request have its number.
            return section.owner.connection == conversation.index
                && section.owner.exchange ?? -1 >= exchange.index
        }
        waits = sections?.reversed().flatMap(\.waits) ?? []
        // Earlier sections are not needed.
        self.exchange.path = nil
        self.exchange.requestHead = nil
        self.exchange.responseHead = nil
    }
}

import DequeModule
import LinkModel

/// All conversations of a run, and what its app waited for.
final class RunModel {
    /// When the run started.
    let start: Duration
    /// What the app got, and what was waited for until then; not all, since the end of the run comes
    /// to light late, and packets may arrive after it.
    private var gains = Deque<Progress>()
    private(set) var conversations: [Conversation] = []
    private var current: [Sockets: Conversation] = [:]
    /// The first conversation of each Multipath TCP connection.
    private var groups: [UInt32: Int] = [:]
    /// Finished requests, as long as there are not too many.
    private(set) var exchanges: [FinishedExchange] = []
    private(set) var omittedExchanges = 0
    var names = NameQueries()
    /// The time of the latest event.
    private(set) var now: Duration
    private(set) var lateEvents = 0

    private static let mostExchanges = 20_000
    private static let mostGains = 1 << 14
    /// An app that sends within this time of an answer sends because of it.
    private static let reaction = Duration.milliseconds(50)

    private struct Sockets: Hashable {
        var near: SocketName
        var far: SocketName
        var isTCP: Bool
    }

    init(start: Duration) {
        (self.start, now) = (start, start)
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
            if let known = current[key] as? TCPConversation,
                !(isAnew && known.isOver(header, sent: packet.sent))
            {
                return known
            }
        case .udp:
            key = Sockets(near: near, far: far, isTCP: false)
            if let known = current[key] { return known }
        }
        let index = conversations.count
        let new =
            key.isTCP
            ? TCPConversation(packet, index: index, near: near, far: far, kind: .tcp)
            : DatagramConversation(packet, index: index, near: near, far: far)
        conversations.append(new)
        current[key] = new
        return new
    }

    /// Joins a subflow to its Multipath TCP connection.
    func join(_ conversation: Conversation, token: UInt32) {
        if let first = groups[token] {
            conversation.group = first
        } else {
            groups[token] = conversation.index
            conversation.group = conversation.index
        }
    }

    /// Takes the next event in the order of time.
    func take(_ event: EventQueue.Event, at time: Duration) {
        if time < now { lateEvents += 1 }
        now = max(now, time)
        switch event {
        case .sent(let transit):
            transit.conversation.count(transit)
            transit.conversation.sent(transit, in: self)
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
        let latest = gains.last { $0.path.end <= end }
        let beginning = CriticalPath(from: start)
        // An app that ends right after it got something ended because of it.
        if end - (latest?.time ?? start) > Self.reaction {
            let waits = conversations.compactMap { $0.openWait(at: end) }
                .filter { $0.path.end == end }
            if let wait = waits.max(by: { $0.time < $1.time }) { return wait.path }
        }
        return (latest?.path ?? beginning).extended(to: end, by: WaitKind(.app), of: .app)
    }

    /// Ends the requests that are still under way.
    func finish() {
        for conversation in conversations { conversation.endExchange(in: self) }
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
        let owner = CriticalPath.Owner(connection: connection, exchange: exchange.index)
        let section = exchange.path?.last
        waits = section?.owner == owner ? section?.waits ?? [] : []
        // Earlier sections are not needed.
        self.exchange.path = nil
        self.exchange.requestHead = nil
        self.exchange.responseHead = nil
    }
}

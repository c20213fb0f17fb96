import LinkModel

/// What two sockets say to each other: a TCP connection, or datagrams between the same ports.
class Conversation {
    /// What kind of conversation it is.
    enum Kind: String, Sendable, Codable {
        case tcp, udp, quic, dns
    }

    /// Its number, from 0.
    let index: Int
    /// The app's socket.
    let near: SocketName
    /// The socket on the far side of the link.
    let far: SocketName
    var kind: Kind
    /// Whether the app opened it; else a peer on the far side did.
    var isOpenedByApp: Bool
    private(set) var start: Duration
    var end: Duration
    let firstPacket: Int
    var packets = 0
    var upBytes = 0
    var downBytes = 0
    /// The name that the client asked for (TLS).
    var serverName: String?
    var drops: [PacketFate.Drop: Int] = [:]
    var lostPackets = PacketNumbers()
    var fastRetransmissions = PacketNumbers()
    var timeoutRetransmissions = PacketNumbers()
    /// The time from a packet to its acknowledgement.
    var roundTrips = RoundTrips()
    /// When the handshakes were over, at the client.
    var handshakeEnd: Duration?
    /// What was waited for until then.
    var handshakePath: CriticalPath?
    /// Whether nobody listened at the far socket.
    var isRefused = false
    /// The connection of which this is a subflow (Multipath TCP): the number of the first.
    var group: Int?

    /// The request that is under way.
    var exchange: Exchange?
    private(set) var exchangeCount = 0

    init(_ packet: CapturedPacket, index: Int, near: SocketName, far: SocketName, kind: Kind) {
        (self.index, self.near, self.far, self.kind) = (index, near, far, kind)
        isOpenedByApp = packet.source == near
        start = packet.sent
        end = packet.sent
        firstPacket = packet.number
    }

    /// The direction in which its client sends.
    var request: Direction { isOpenedByApp ? .up : .down }

    /// Takes a packet that was sent: says what was waited for until then.
    func sent(_ transit: Transit, in run: RunModel) {}

    /// Takes a packet that has arrived.
    func arrived(_ transit: Transit, in run: RunModel) {}

    /// Whether nothing more is to be expected, apart from late packets.
    var isOver: Bool { false }

    /// What the app still waits for at the end of the run, since when, and the path until the end;
    /// nil if for nothing.
    func openWait(at end: Duration) -> Progress? { nil }

    /// Counts a packet that was sent.
    final func count(_ transit: Transit) {
        let packet = transit.packet
        packets += 1
        start = min(start, packet.sent)
        end = max(end, packet.sent + packet.fate.delay)
        if transit.direction == .up {
            upBytes += packet.payloadLength
        } else {
            downBytes += packet.payloadLength
        }
        if let drop = packet.fate.drop {
            drops[drop, default: 0] += 1
            lostPackets.add(packet.number)
        }
    }

    /// Ends the request under way, and begins the next.
    final func beginExchange(at time: Duration, packet: Int, in run: RunModel) {
        let idle = exchange?.end.map { time - $0 } ?? .zero
        endExchange(in: run)
        exchange = Exchange(index: exchangeCount, start: time, packet: packet, idle: idle)
        exchangeCount += 1
    }

    final func endExchange(in run: RunModel) {
        if let held, isTentative { returnToHeld(held) }
        if let exchange, isRequest(exchange) {
            run.take(exchange, of: self)
        } else if exchange != nil {
            exchangeCount -= 1
        }
        (exchange, held) = (nil, nil)
    }

    /// Ends all that is under way.
    func finish(in run: RunModel) { endExchange(in: run) }

    /// Whether what a client sent is a request, rather than a goodbye.
    func isRequest(_ exchange: Exchange) -> Bool { true }

    // MARK: Requests that may be none

    /// The exchange before one of which nobody knows yet whether it is one.
    private var held: Exchange?
    /// Whether the exchange under way may be none.
    final var isTentative: Bool { held != nil }

    /// Begins an exchange that may be none, as the client's packet may only acknowledge.
    final func beginTentatively(at time: Duration, packet: Int) {
        let idle = exchange?.end.map { time - $0 } ?? .zero
        held = exchange
        exchange = Exchange(index: exchangeCount, start: time, packet: packet, idle: idle)
        exchangeCount += 1
    }

    /// Decides whether the exchange under way is one.
    final func decide(isRequest: Bool, in run: RunModel) {
        guard let held else { return }
        if isRequest {
            run.take(held, of: self)
            self.held = nil
        } else {
            returnToHeld(held)
        }
    }

    private func returnToHeld(_ earlier: Exchange) {
        if let exchange { held = earlier.extended(by: exchange) }
        exchange = held
        held = nil
        exchangeCount -= 1
    }

    /// The owner of the time of what is sent now.
    final var owner: CriticalPath.Owner {
        CriticalPath.Owner(connection: index, exchange: exchange?.index)
    }
}

/// Who waits before sending in a direction.
extension Direction {
    var sender: Component { self == .up ? .app : .server }
    var opposite: Direction { self == .up ? .down : .up }
}

/// Numbers of packets: the first, and how many there are.
struct PacketNumbers: Hashable, Sendable {
    private static let most = 20

    private(set) var first: [Int] = []
    private(set) var count = 0

    mutating func add(_ number: Int) {
        count += 1
        if first.count < Self.most { first.append(number) }
    }
}

/// Samples of a connection's round-trip time.
struct RoundTrips: Hashable, Sendable {
    private(set) var count = 0
    private(set) var least: Duration?
    private(set) var most: Duration?
    private var sum = Duration.zero

    var mean: Duration? { count > 0 ? sum / count : nil }

    /// Takes a sample; in a capture out of order, one may be less than nothing.
    mutating func add(_ time: Duration) {
        guard time >= .zero else { return }
        count += 1
        sum += time
        least = min(least ?? time, time)
        most = max(most ?? time, time)
    }
}

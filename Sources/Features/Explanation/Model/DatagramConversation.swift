import LinkModel
import LinuxKernel

/// Datagrams between two UDP sockets: questions for names, QUIC, or requests and responses of
/// anything else.
final class DatagramConversation: Conversation {
    private var progress: [Direction: Progress] = [:]
    private var lastSent: [Direction: Progress] = [:]
    private var lastTransmission: [Direction: Progress] = [:]
    private var lastDrop: PacketFate.Drop?
    /// QUIC: whether the client has sent nothing but its handshake.
    private var isHandshake = false
    private var firstSent: Duration?
    /// QUIC: the time from the first packet to the first answer.
    private var trip: Duration?

    /// What tells questions for names apart that one socket asks.
    private struct Question: Hashable {
        var identifier: UInt16
        var type: UInt16

        init(_ message: DNSMessage) { (identifier, type) = (message.identifier, message.type) }
    }

    /// The question of the exchange under way.
    private var question: Question?
    /// Earlier ones without an answer: the C library asks for both families at once.
    private var earlier: [Question: Exchange] = [:]
    private static let mostEarlier = 64

    /// Smaller datagrams of a client may be acknowledgements.
    private static let leastRequest = 100

    init(_ packet: CapturedPacket, index: Int, near: SocketName, far: SocketName) {
        super.init(
            packet, index: index, near: near, far: far,
            kind: far.port == 53 || near.port == 53 ? .dns : .udp)
    }

    override func sent(_ transit: Transit, in run: RunModel) {
        let (packet, direction) = (transit.packet, transit.direction)
        let now = packet.sent
        firstSent = firstSent ?? now
        let wasHandshake = isHandshake
        if kind != .dns { readQUIC(packet, isClient: direction == request) }
        transit.phase = phase(isHandshake: isHandshake)
        if kind == .dns, let message = transit.question {
            sentDNS(transit, message, in: run)
        } else {
            let own = [progress[direction], lastSent[direction]].compactMap(\.self)
                .max { $0.time < $1.time }
            let before = phase(isHandshake: wasHandshake)
            let isApp = direction == .up && before == .exchange
            transit.path = run.trigger(direction, at: now, own: own).extended(
                to: now, by: WaitKind(direction.sender, in: before), of: isApp ? .app : owner)
            if kind != .quic || !isHandshake {
                countExchange(packet, isClient: direction == request, in: run)
            }
        }
        transit.owner = owner(of: transit)
        lastSent[direction] = Progress(time: now, path: transit.path)
        if direction == .up { lastDrop = packet.fate.drop }
    }

    private func phase(isHandshake: Bool) -> Phase {
        kind == .dns ? .nameResolution : isHandshake ? .tlsHandshake : .exchange
    }

    private func readQUIC(_ packet: CapturedPacket, isClient: Bool) {
        guard let header = QUICHeader(packet.payload, isKnown: kind == .quic) else { return }
        if kind == .udp, header == .handshake, isClient {
            (kind, isHandshake) = (.quic, true)
        }
        if isHandshake, header == .data, isClient {
            isHandshake = false
            handshakeEnd = packet.sent
            handshakePath = lastSent[request]?.path
        }
    }

    private func sentDNS(_ transit: Transit, _ message: DNSMessage, in run: RunModel) {
        let (packet, direction) = (transit.packet, transit.direction)
        let now = packet.sent
        if message.isResponse {
            let query = run.names.query(message)
            let path =
                query?.arrival?.path ?? progress[direction]?.path
                ?? CriticalPath(from: run.start)
            transit.path = path.extended(
                to: now, by: WaitKind(direction.sender, in: .nameResolution),
                of: owner(of: transit))
            run.names.answer(message, packet)
            if earlier[Question(message)]?.take(packet, isRequest: false) == nil {
                exchange?.take(packet, isRequest: false)
            }
            return
        }
        begin(Question(message), transit, in: run)
        exchange?.take(packet, isRequest: true)
        if let earlier = run.names.query(message), earlier.isLost {
            transit.path = earlier.sent.path.extended(
                to: now, by: WaitKind(.timeoutRecovery, in: .nameResolution), of: owner)
            timeoutRetransmissions.add(packet.number)
        } else if let earlier = run.names.query(message) {
            transit.path = earlier.sent.path.extended(
                to: now, by: WaitKind(.server, in: .nameResolution), of: owner)
        } else {
            transit.path = run.trigger(direction, at: now, own: progress[direction]).extended(
                to: now, by: WaitKind(direction.sender), of: .app)
        }
        run.names.ask(message, packet, Progress(time: now, path: transit.path))
    }

    /// Begins the exchange of a question, which leaves those under way that ask for something else.
    private func begin(_ asked: Question, _ transit: Transit, in run: RunModel) {
        if let question, question != asked, let exchange, exchange.end == nil,
            earlier.count < Self.mostEarlier
        {
            earlier[question] = exchange
            self.exchange = nil
        }
        if let repeated = earlier.removeValue(forKey: asked) { run.take(repeated, of: self) }
        beginExchange(at: transit.packet.sent, packet: transit.packet.number, in: run)
        question = asked
    }

    /// An answer has the owner of its question.
    private func owner(of transit: Transit) -> CriticalPath.Owner {
        guard !earlier.isEmpty, let message = transit.question, message.isResponse,
            let exchange = earlier[Question(message)]
        else { return owner }
        return CriticalPath.Owner(connection: index, exchange: exchange.index)
    }

    override func finish(in run: RunModel) {
        for exchange in earlier.values { run.take(exchange, of: self) }
        earlier = [:]
        super.finish(in: run)
    }

    private func countExchange(_ packet: CapturedPacket, isClient: Bool, in run: RunModel) {
        guard packet.payloadLength > 0 else { return }
        if isClient, exchange.map({ $0.end != nil }) ?? true {
            if kind == .quic, exchange != nil, packet.payloadLength < Self.leastRequest {
                if isTentative { decide(isRequest: true, in: run) }
                beginTentatively(at: packet.sent, packet: packet.number)
            } else {
                beginExchange(at: packet.sent, packet: packet.number, in: run)
            }
        }
        exchange?.take(packet, isRequest: isClient)
    }

    override func arrived(_ transit: Transit, in run: RunModel) {
        let direction = transit.direction
        let arrival = transit.arrive(behind: lastTransmission[direction])
        lastTransmission[direction] = arrival.transmitted
        progress[direction.opposite] = arrival.progress
        if kind == .dns, let message = transit.question, !message.isResponse {
            run.names.arrived(message, arrival.progress)
        }
        if direction != request {
            trip = trip ?? firstSent.map { arrival.time - $0 }
            if isTentative, let begin = exchange?.start {
                // What comes within less than a round trip was sent before.
                decide(isRequest: arrival.time - begin >= (trip ?? .zero) * 0.8, in: run)
            }
            if let message = kind == .dns ? transit.question : nil,
                var asked = earlier.removeValue(forKey: Question(message))
            {
                asked.arrive(arrival)
                run.take(asked, of: self)
            } else {
                exchange?.arrive(arrival)
            }
        }
        if direction == .down { run.appGot(arrival.progress) }
    }

    override var isOver: Bool {
        kind == .dns && progress[.up]?.time ?? .zero > lastSent[.up]?.time ?? .zero
    }

    override func openWait(at end: Duration) -> Progress? {
        // Many datagrams are never answered; questions for names and handshakes are.
        guard request == .up, kind == .dns || kind == .quic && isHandshake,
            let last = lastSent[.up], last.time > progress[.up]?.time ?? .zero
        else { return nil }
        let component: Component =
            switch lastDrop {
            case .disconnected?: .linkDown
            case .some: .timeoutRecovery
            case nil: .server
            }
        return Progress(
            time: last.time,
            path: last.path.extended(
                to: end, by: WaitKind(component, in: phase(isHandshake: isHandshake)), of: owner))
    }
}

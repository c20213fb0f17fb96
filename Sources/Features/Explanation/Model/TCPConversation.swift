import LinkModel

/// A TCP connection.
///
/// Theory of operation. `sent` decides for each packet what its sender waited for before it, from
/// what both ends knew at that time: an acknowledgement that let it out (`TCPConversation+Windows`),
/// a retransmission's original (`TCPConversation+Recovery`), the data of the other end, or the
/// application. `arrived` extends that by the way over the link.
final class TCPConversation: Conversation {
    var up = TCPStream()
    var down = TCPStream()
    /// What last arrived at each end: bytes, or the handshake.
    private var progress: [Direction: Progress] = [:]
    /// The last packet of any kind that arrived at the end that sends in a direction.
    private var lastPacket: [Direction: Progress] = [:]
    private var firstSYN: Progress?
    private var synSequence: UInt32?
    /// Whether the client knows that the server is there, and the server that the client knows.
    private var isEstablished = false
    private var isAccepted = false
    private var isClosed = false
    private var isReset = false
    private var tls: TLSProgress?
    private var hasClientData = false

    override init(
        _ packet: CapturedPacket, index: Int, near: SocketName, far: SocketName, kind: Kind
    ) {
        super.init(packet, index: index, near: near, far: far, kind: kind)
        guard case .tcp(let header) = packet.transport, header.isSYN else { return }
        // A repetition may be read before it is known that the first was sent, and the answer before
        // what it answers.
        synSequence = header.isACK ? header.acknowledgement &- 1 : header.sequence
        if header.isACK { isOpenedByApp.toggle() }
    }

    subscript(direction: Direction) -> TCPStream {
        _read { yield direction == .up ? up : down }
        _modify {
            if direction == .up { yield &up } else { yield &down }
        }
    }

    /// When anything last arrived at the end that sends in a direction.
    func lastArrivalOfAnything(at direction: Direction) -> Duration? {
        lastPacket[direction]?.time
    }

    /// When bytes last arrived at that end, or the handshake.
    func lastNews(at direction: Direction) -> Duration? { progress[direction]?.time }

    /// Whether a SYN begins another connection between the same sockets.
    func isOver(_ header: TCPHeader, sent: Duration) -> Bool {
        guard let synSequence else { return true }
        return synSequence != header.sequence
    }

    /// What the connection does at present.
    private var phase: Phase {
        if far.port == 53 || near.port == 53 { return .nameResolution }
        if tls?.isHandshake == true { return .tlsHandshake }
        return .exchange
    }

    // MARK: Sending

    override func sent(_ transit: Transit, in run: RunModel) {
        guard case .tcp(let header) = transit.packet.transport else { return }
        let (direction, now) = (transit.direction, transit.packet.sent)
        if header.isFIN { self[direction].isClosed = true }
        if header.isSYN {
            self[direction].open(at: header.sequence)
            sentSYN(transit, header, in: run)
        } else {
            if !self[direction].isOpen { self[direction].open(at: header.sequence) }
            transit.owner = owner
            transit.phase = isEstablished ? phase : .tcpHandshake
            let length = transit.packet.payloadLength + (header.isFIN ? 1 : 0)
            let start = self[direction].position(header.sequence)
            if length > 0 {
                sentBytes(transit, start..<start + length, in: run)
            } else {
                sentAcknowledgement(transit, in: run)
            }
        }
        if var echo = self[direction.opposite].lastArrival?.echo {
            echo.add(direction.sender, until: now)
            transit.echo = echo
        }
    }

    private func sentSYN(_ transit: Transit, _ header: TCPHeader, in run: RunModel) {
        let (direction, now) = (transit.direction, transit.packet.sent)
        transit.owner = CriticalPath.Owner(connection: index)
        transit.phase = .tcpHandshake
        self[direction].windowScale = header.windowScale
        if let size = header.maximumSegment { self[direction.opposite].maximumSegment = Int(size) }
        if let token = header.multipathToken { run.join(self, token: token) }
        if header.isACK {
            if let key = header.multipathKey {
                run.join(self, token: MultipathToken.token(of: key))
            }
            transit.path = (lastPacket[direction]?.path ?? transit.path).extended(
                to: now, by: WaitKind(direction.sender, in: .tcpHandshake), of: transit.owner)
        } else if let firstSYN, synSequence == header.sequence {
            timeoutRetransmissions.add(transit.packet.number)
            transit.path = firstSYN.path.extended(
                to: now, by: WaitKind(.timeoutRecovery, in: .tcpHandshake), of: transit.owner)
        } else {
            isOpenedByApp = direction == .up
            synSequence = header.sequence
            transit.path = run.trigger(direction, at: now, own: nil).extended(
                to: now, by: WaitKind(direction.sender), of: .app)
        }
        if !header.isACK { firstSYN = Progress(time: now, path: transit.path) }
        let position = self[direction].position(header.sequence)
        let progress = Progress(time: now, path: transit.path)
        if position + 1 > self[direction].next {
            self[direction].send(
                position..<position + 1, progress, drop: transit.packet.fate.drop)
        }
    }

    private func sentBytes(_ transit: Transit, _ range: Range<Int>, in run: RunModel) {
        let (direction, now) = (transit.direction, transit.packet.sent)
        let stream = self[direction]
        guard range.upperBound > stream.next else {
            sentAgain(transit, range, in: run)
            return
        }
        let isClient = direction == request
        let payload = transit.packet.payloadLength
        if payload > 0, isClient { readClient(transit.packet) }
        // The wait before the packet belongs to what was done before it.
        let before = transit.phase
        transit.phase = isEstablished ? phase : .tcpHandshake
        if let path = windowPath(transit, range) {
            transit.path = path
        } else {
            let own = [progress[direction], stream.lastSent].compactMap(\.self)
                .max { $0.time < $1.time }
            let isApp = direction == .up && before == .exchange
            transit.path = run.trigger(direction, at: now, own: own).extended(
                to: now, by: WaitKind(direction.sender, in: before), of: isApp ? .app : owner)
        }
        if payload > 0, phase == .exchange { countExchange(transit, range, in: run) }
        transit.owner = owner
        self[direction].send(
            range, Progress(time: now, path: transit.path), drop: transit.packet.fate.drop)
        let inFlight = self[direction].outstanding
        if let most = exchange?.mostInFlight, inFlight > most { exchange?.mostInFlight = inFlight }
    }

    private func sentAcknowledgement(_ transit: Transit, in run: RunModel) {
        let (direction, now) = (transit.direction, transit.packet.sent)
        let last = lastPacket[direction]?.path ?? run.trigger(direction, at: now, own: nil)
        transit.path = last.extended(
            to: now, by: WaitKind(direction.sender, in: transit.phase), of: owner)
    }

    /// Reads what a client says first.
    private func readClient(_ packet: CapturedPacket) {
        if !hasClientData, TLSProgress.begins(packet.payload) {
            tls = TLSProgress()
        }
        hasClientData = true
        guard tls != nil else { return }
        if serverName == nil, self[request].head.count < 8192 {
            self[request].head += packet.payload
            serverName = ServerName.name(in: self[request].head)
        }
        tls?.take(packet.payload, length: packet.payloadLength)
        if tls?.isHandshake == false { self[request].head = [] }
    }

    private func countExchange(_ transit: Transit, _ range: Range<Int>, in run: RunModel) {
        let packet = transit.packet
        let isClient = transit.direction == request
        if isClient {
            // A client that speaks while the response is under way does not ask anew, nor does one
            // that goes on with its request.
            let isAnswered =
                exchange.map {
                    $0.isAnswered && self[request.opposite].hasArrived
                        && !$0.isContinued(by: packet.payload)
                } ?? true
            if isAnswered {
                beginExchange(at: packet.sent, packet: packet.number, in: run)
                exchange?.windows = (
                    self[request].mostOutstanding, self[request.opposite].mostOutstanding
                )
            }
            if handshakeEnd == nil {
                handshakeEnd = packet.sent
                handshakePath = transit.path
            }
        }
        exchange?.take(packet, isRequest: isClient)
        if !isClient, exchange?.isAnswered == false { exchange?.interimEnd = range.upperBound }
    }

    // MARK: Arriving

    override func arrived(_ transit: Transit, in run: RunModel) {
        guard case .tcp(let header) = transit.packet.transport else { return }
        let (direction, payload) = (transit.direction, transit.packet.payloadLength)
        let arrival = transit.arrive(behind: self[direction].lastTransmission)
        self[direction].lastTransmission = arrival.transmitted
        if header.isACK { takeAcknowledgement(transit, header, at: arrival.time) }
        let receiver = direction.opposite
        lastPacket[receiver] = arrival.progress
        let length = payload + (header.isFIN ? 1 : 0) + (header.isSYN ? 1 : 0)
        var isNews = header.isRST
        if length > 0 {
            let start = self[direction].position(header.sequence)
            self[direction].lastArrival = arrival
            isNews = self[direction].receive(start..<start + length) || isNews
        } else if !isAccepted {
            // The end of the handshake lets the server speak.
            isNews = direction == request || isNews
        }
        if direction == request, !header.isSYN { isAccepted = true }
        if header.isSYN, header.isACK { isEstablished = true }
        if header.isRST, !isReset {
            isReset = true
            isRefused = direction != request && !isAccepted
        }
        isClosed = isClosed || header.isFIN || header.isRST
        if header.isFIN { self[direction].isFinished = true }
        guard isNews else { return }
        progress[receiver] = arrival.progress
        // An interim answer, such as 100 Continue, is not what the client waits for.
        if payload > 0, direction != request,
            exchange?.interimEnd.map({ self[direction].received > $0 }) ?? true
        {
            exchange?.arrive(arrival)
        }
        // Who has closed a connection does not wait for its peer's goodbye.
        let isGoodbye = header.isFIN && payload == 0 && self[receiver].isClosed
        if receiver == .up, !isGoodbye { run.appGot(arrival.progress) }
    }

    private func takeAcknowledgement(
        _ transit: Transit, _ header: TCPHeader, at time: Duration
    ) {
        let direction = transit.direction
        let scale = header.isSYN ? 0 : self[direction].windowScale ?? 0
        let sender = direction.opposite
        guard self[sender].isOpen else { return }
        let position = self[sender].position(header.acknowledgement)
        let sample = self[sender].acknowledge(
            position, window: Int(header.window) << Int(scale), transit, at: time)
        if let sample { roundTrips.add(sample) }
    }

    // MARK: The end

    /// TLS says goodbye in an encrypted alert of 24 bytes (RFC 8446), or of up to 69 before.
    private static let longestGoodbye = 69

    override func isRequest(_ exchange: Exchange) -> Bool {
        tls == nil || exchange.responseBytes > 0 || exchange.requestBytes > Self.longestGoodbye
    }

    override var isOver: Bool { isReset || up.isFinished && down.isFinished }

    override func openWait(at end: Duration) -> Progress? {
        guard isOpenedByApp, !isClosed, let last = up.lastSent else { return nil }
        let isWaiting = !isEstablished || exchange.map { $0.firstByte == nil } ?? false
        guard isWaiting else { return nil }
        let component: Component
        switch up.segments.last?.drop {
        case .disconnected?: component = .linkDown
        case .some: component = .timeoutRecovery
        case nil: component = .server
        }
        let phase = isEstablished ? phase : .tcpHandshake
        return Progress(
            time: last.time,
            path: last.path.extended(
                to: end, by: WaitKind(component, in: phase), of: owner))
    }
}

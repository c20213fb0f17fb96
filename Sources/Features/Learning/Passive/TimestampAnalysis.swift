import Explanation
import LinkModel
import LinkUnits
import LinuxKernel
import Recording
import Verification

/// Bounds of a link from the times at which packets passed one place of it.
///
/// Round trips are those of TCP's acknowledgements. Packets that come over the link have its spacing,
/// so the fastest stretch is a rate that it had at least; what is sent is known by its
/// acknowledgements. Losses are what TCP sends again, for whatever reason it was lost.
struct TimestampAnalysis {
    private struct Conversation: Hashable {
        var near: SocketName
        var far: SocketName
    }

    private struct Way {
        var packets = 0
        var dataPackets = 0
        /// Sent again, or lost before the capture.
        var repeated = 0
        var overtaken = 0
        /// From a segment of this way to its acknowledgement.
        var roundTrips = ValueSample()
        var passing = RateWindow(length: 1000, leastPackets: 10)
        /// For transfers that are over sooner.
        var shortly = RateWindow(length: 200, leastPackets: 20)
        var acknowledged = RateWindow(length: 600, leastPackets: 6)
    }

    private var up = Way()
    private var down = Way()
    private var streams: [Conversation: (up: SeenStream, down: SeenStream)] = [:]
    private(set) var forgotten = 0
    /// How often time went backwards by more than a second.
    private(set) var backwards = 0
    private var start: Duration?
    private var last = 0.0

    /// More connections are not followed at a time.
    private static let mostConversations = 4096

    mutating func take(_ packet: CapturedPacket, length: Int) {
        let begin = start ?? packet.sent
        start = begin
        let time = (packet.sent - begin) / .milliseconds(1)
        if time < last - 1000 {
            backwards += 1
            // What was sent before is answered at no time that means anything.
            streams.removeAll()
        }
        last = time
        let (conversation, direction) = place(of: packet)
        change(direction) {
            $0.packets += 1
            $0.passing.add(Double(length), at: time)
            $0.shortly.add(Double(length), at: time)
        }
        guard case .tcp(let header) = packet.transport else { return }
        guard streams[conversation] != nil || streams.count < Self.mostConversations else {
            // Connections that have ended long ago make room for others.
            streams.removeAll()
            forgotten += 1
            return
        }
        var both = streams[conversation] ?? (SeenStream(), SeenStream())
        let isUp = direction == .up
        if packet.payloadLength > 1 || header.isSYN {
            let size = packet.payloadLength + (header.isSYN ? 1 : 0)
            let patience = max(3, (up.roundTrips.least ?? 20) / 2)
            let kind =
                isUp
                ? both.up.send(header.sequence, size, at: time, patience: patience)
                : both.down.send(header.sequence, size, at: time, patience: patience)
            change(direction) {
                if !header.isSYN { $0.dataPackets += 1 }
                if kind == .again || kind == .late { $0.repeated += 1 }
                if kind == .overtaken { $0.overtaken += 1 }
            }
        }
        if header.isACK {
            let news =
                isUp
                ? both.down.acknowledge(header.acknowledgement, at: time)
                : both.up.acknowledge(header.acknowledgement, at: time)
            // Headers of full-size packets.
            let bytes = Double(news.bytes) * 1500 / 1448
            change(isUp ? .down : .up) {
                if let roundTrip = news.roundTrip, roundTrip >= 0 { $0.roundTrips.add(roundTrip) }
                if news.bytes > 0, news.bytes < 1 << 24 { $0.acknowledged.add(bytes, at: time) }
            }
        }
        streams[conversation] = header.isRST ? nil : both
    }

    private mutating func change(_ direction: Direction, _ body: (inout Way) -> Void) {
        if direction == .up { body(&up) } else { body(&down) }
    }

    /// The connection of a packet, and which way it goes: from who opens connections, or from who
    /// has the higher port.
    private func place(of packet: CapturedPacket) -> (Conversation, Direction) {
        let forth = Conversation(near: packet.source, far: packet.destination)
        let back = Conversation(near: packet.destination, far: packet.source)
        if let direction = packet.direction {
            return (direction == .up ? forth : back, direction)
        }
        if streams[forth] != nil { return (forth, .up) }
        if streams[back] != nil { return (back, .down) }
        var isForth = packet.source.port >= packet.destination.port
        if case .tcp(let header) = packet.transport, header.isSYN { isForth = !header.isACK }
        return isForth ? (forth, .up) : (back, .down)
    }

    // MARK: Result

    /// The shortest round trip to the far end, and to the near one if the capture is between.
    private var roundTrip: (far: Double, near: Double)? {
        guard let far = up.roundTrips.least else { return nil }
        return (far, down.roundTrips.least ?? 0)
    }

    func learned(_ direction: Direction) -> LearnedDirection {
        var learned = LearnedDirection()
        let way = direction == .up ? up : down
        guard way.packets > 0 else {
            learned.values.append(.hidden("bandwidth", "not visible: no packet went this way"))
            return learned
        }
        addBandwidth(way, direction, &learned)
        addDelay(&learned)
        addLoss(way, &learned)
        learned.values += [
            .hidden("queue", "not visible: " + queueWords(way)),
            .hidden("jitter", "not visible: of a round trip, the rest may be the other host's"),
        ]
        return learned
    }

    private func addBandwidth(
        _ way: Way, _ direction: Direction, _ learned: inout LearnedDirection
    ) {
        // What is sent here has the spacing of its sender.
        let isSent = direction == .up
        let window =
            isSent ? way.acknowledged : way.passing.most > 0 ? way.passing : way.shortly
        guard window.most > 0 else {
            return learned.values.append(
                .hidden("bandwidth", "not visible: too few packets followed each other"))
        }
        // A delay that varies moves the ends of a stretch.
        let least = window.most * (way.passing.most > 0 && !isSent ? 0.9 : 0.8)
        let plateau = window.plateau
        let isFlat = plateau.atMost >= 10 && plateau.atMost * 3 >= plateau.all
        let bandwidth = Rounding.bandwidth(window.most, digits: 3)
        learned.conditions.bandwidth = bandwidth
        learned.values.append(
            LearnedValue(
                "bandwidth", .bound, text: bandwidth.description, value: window.most, low: least,
                how: "at least: the fastest stretch of "
                    + (isSent ? "acknowledgements" : "packets") + ", of \(plateau.all); "
                    + (isFlat
                        ? "\(plateau.atMost) were as fast, so it is likely the link's limit"
                        : "the others were slower, so the app may have been the limit")))
    }

    private func addDelay(_ learned: inout LearnedDirection) {
        guard let roundTrip else {
            return learned.values.append(
                .hidden("delay", "not visible: no TCP segment was acknowledged"))
        }
        let whole = roundTrip.far + roundTrip.near
        let delay = Rounding.duration(whole / 2)
        learned.conditions.delay = delay
        learned.values.append(
            LearnedValue(
                "delay", .bound, text: delay.unitText, value: whole / 2, low: 0, high: whole,
                how: "half of the shortest of \(up.roundTrips.count) round trips, "
                    + "\(Rounding.text(whole, digits: 3)) ms, with the time on the wire and in the "
                    + "other host; both ways together take no longer"))
    }

    private func addLoss(_ way: Way, _ learned: inout LearnedDirection) {
        guard way.dataPackets >= 20 else {
            return learned.values.append(
                .hidden("loss", "not visible: \(way.dataPackets) packets with data are too few"))
        }
        let count = min(way.repeated, way.dataPackets)
        let share = Double(count) / Double(way.dataPackets)
        let interval = ProportionInterval(
            successes: Double(count), trials: Double(way.dataPackets),
            error: DirectionAnalysis.error)
        let how =
            "at most: \(count) of \(way.dataPackets) packets with data were sent again; dropped "
            + "from a full queue, or sent again without need, are among them; 95%: below "
            + Rounding.percent(interval.high)
        guard count > 0, let ratio = Ratio(Rounding.significant(share, digits: 2)) else {
            return learned.values.append(
                LearnedValue("loss", .bound, value: 0, low: 0, high: interval.high, how: how))
        }
        // A queue that overflows makes round trips longer before.
        let hasQueued =
            (Statistics.percentile(0.9, of: way.roundTrips.values) ?? 0)
            > 1.5 * (way.roundTrips.least ?? 0) + 10
        if !hasQueued { learned.conditions.loss = .random(ratio) }
        learned.values.append(
            LearnedValue(
                "loss", .bound, text: hasQueued ? nil : ratio.description, value: share, low: 0,
                high: interval.high,
                how: how
                    + (hasQueued ? "; left out, since round trips say that a queue was long" : "")))
    }

    private func queueWords(_ way: Way) -> String {
        guard let least = way.roundTrips.least,
            let most = Statistics.percentile(0.99, of: way.roundTrips.values)
        else {
            return "no round trip was measured"
        }
        return "round trips took \(Rounding.text(least, digits: 3)) to "
            + "\(Rounding.text(most, digits: 3)) ms, but whether the queue was full is not known"
    }
}

public import LinkModel
public import LinkUnits

/// One direction of a link.
///
/// Sans-I/O: the caller says what time it is and what arrived, and asks what leaves. All times
/// are distances from one moment of the caller's choice (at which a delivery trace begins), and
/// never go back. Everything is computed from the schedule of the link: however late the caller
/// asks, a packet's time is the one at which it left.
///
///     queue ─ bandwidth ─ loss ─ copies, flipped bits ─┬─ delay with jitter ───────┬─ out
///                                                      ├─ the same + delay of DNS ─┤
///                                                      └─ overtaking ──────────────┘
///
/// Loss stands behind the bottleneck: a lost packet has used its bandwidth.
public struct LinkEmulator: Sendable {
    /// The delay of one way, without what jitter makes of it.
    public private(set) var delay: Duration
    private var dnsDelay: Duration?
    /// Whether every packet has the same fate but for its time of arrival.
    private var treatsAllAlike: Bool

    private var bottleneck: Bottleneck
    private var loss: LossProcess
    private var copies: CopyProcess
    private var jitter: JitterProcess
    private var overtaking: OvertakingProcess

    private var drops = DropLog()
    private var line = DelayLine()
    private var dnsLine = DelayLine()
    private var overtakers = DelayLine()

    /// The latest time the caller has told.
    private var clock = Duration.zero
    private var tally = EmulatorCounters()

    /// Makes an empty link.
    ///
    /// The same seed and the same packets at the same times have the same fate. `dnsDelay` comes
    /// on top of the delay for packets that are DNS. A trace takes the place of the bandwidth; the
    /// file that the conditions name is the caller's to read.
    public init(
        _ conditions: DirectionConditions, dnsDelay: Duration? = nil,
        trace: DeliveryTrace? = nil, seed: UInt64
    ) {
        delay = conditions.delay.bounded
        self.dnsDelay = dnsDelay?.bounded
        treatsAllAlike = conditions.treatAllAlike && trace == nil
        bottleneck = Bottleneck(
            conditions, trace: trace, random: RandomStream(seed: seed, for: .management))
        loss = LossProcess(conditions.loss, random: RandomStream(seed: seed, for: .loss))
        copies = CopyProcess(conditions, seed: seed)
        jitter = JitterProcess(
            conditions.jitter, random: RandomStream(seed: seed, for: .jitter))
        overtaking = OvertakingProcess(
            conditions.reorder, random: RandomStream(seed: seed, for: .reorder))
    }

    /// Whether its conditions treat packets one by one, so that a super-packet has to be cut.
    ///
    /// A delay does not, even a varying one: it depends on when a packet comes, and the parts of a
    /// super-packet come at once.
    public var treatsPacketsSingly: Bool { !treatsAllAlike }

    /// A packet arrives at the near end.
    public mutating func enqueue(_ packet: Packet, at now: Duration) {
        advance(to: now)
        tally.arrivedPackets += 1
        tally.arrivedBytes.add(packet.length)
        bottleneck.enqueue(packet, at: clock, drops: &drops)
        tally.longestQueue = max(tally.longestQueue, bottleneck.packetCount)
        advance(to: clock)
    }

    /// The next packet that has left the link by `now`, or was dropped; nil if there is none yet.
    ///
    /// Events come in the order of their times.
    public mutating func nextVerdict(at now: Duration) -> PacketEvent? {
        advance(to: now)
        guard let (source, time) = earliest, time <= clock else { return nil }
        switch source {
        case .drops: return drops.removeFirst()
        case .overtakers: return count(overtakers.removeFirst())
        case .line: return count(line.removeFirst())
        case .dnsLine: return count(dnsLine.removeFirst())
        }
    }

    /// When `nextVerdict` may have something to say; nil while the link is empty.
    ///
    /// Never later than a packet leaves, and seldom earlier; a drop by the loss model or the queue
    /// management is told when the caller next asks.
    public var nextEvent: Duration? {
        let known = earliest?.time
        // What leaves the bottleneck next arrives behind the line, unless it takes another way.
        guard let departure = bottleneck.nextDeparture,
            line.isEmpty || overtaking.isActive || dnsDelay != nil
        else { return known }
        let exit = overtaking.isActive ? departure : departure + max(.zero, delay + jitter.least)
        return known.map { min($0, exit) } ?? exit
    }

    /// The link takes on other conditions.
    ///
    /// No packet on it is lost. What waits at the bottleneck goes at the new bandwidth from now on;
    /// what is under way arrives when it would have, and what follows does not overtake it. A
    /// trace begins now, unless it is the one that plays already.
    public mutating func change(
        to conditions: DirectionConditions, dnsDelay: Duration? = nil,
        trace: DeliveryTrace? = nil, at now: Duration
    ) {
        advance(to: now)
        delay = conditions.delay.bounded
        self.dnsDelay = dnsDelay?.bounded
        treatsAllAlike = conditions.treatAllAlike && trace == nil
        bottleneck.change(to: conditions, trace: trace, at: clock)
        loss.change(to: conditions.loss)
        copies.change(to: conditions)
        jitter.change(to: conditions.jitter)
        overtaking.change(to: conditions.reorder)
        advance(to: clock)
    }

    /// What the link lets pass on average; nil where nothing limits it.
    public var meanBandwidth: Bandwidth? { bottleneck.meanRate }

    /// How long packets have been in transmission at the bottleneck, as of the latest time it has
    /// been told. The rest of the time nothing waited there.
    public var timeUsed: Duration { bottleneck.timeUsed(by: clock) }

    /// What the link has done, and what is on it now.
    ///
    /// As of the latest time it has been told.
    public var counters: EmulatorCounters {
        var counters = tally
        counters.queueFullPackets = drops.queueFull
        counters.managedPackets = drops.managed
        counters.lostPackets = drops.lost
        counters.queuedPackets = bottleneck.packetCount
        counters.queuedBytes = bottleneck.byteCount
        return counters
    }

    // MARK: Packets under way

    /// Lets everything happen that happens up to `now`.
    private mutating func advance(to now: Duration) {
        if now > clock { clock = now }
        while let (packet, time) = bottleneck.departure(by: clock, drops: &drops) {
            sendOn(packet, at: time)
        }
    }

    /// A packet is through the bottleneck.
    private mutating func sendOn(_ packet: Packet, at time: Duration) {
        // Every stage is asked, so that its random numbers do not depend on the others' answers.
        let isLost = loss.losesNext()
        let isDuplicated = copies.duplicatesNext()
        let verdict = copies.verdict(on: packet)
        let isOvertaker = overtaking.nextOvertakes()
        let arrival = time + max(.zero, delay + jitter.variation(at: time))
        if packet.isMarked { tally.markedPackets += 1 }
        guard !isLost else {
            drops.append(packet, .lost, at: time)
            return
        }
        if isDuplicated {
            let copy = PacketEvent(
                slot: packet.slot, verdict: .delivered, time: arrival, releasesSlot: false,
                isMarked: packet.isMarked)
            append(copy, of: packet, isOvertaker: isOvertaker, leaving: time)
        }
        let event = PacketEvent(
            slot: packet.slot, verdict: verdict, time: arrival, isMarked: packet.isMarked)
        append(event, of: packet, isOvertaker: isOvertaker, leaving: time)
    }

    private mutating func append(
        _ event: PacketEvent, of packet: Packet, isOvertaker: Bool, leaving time: Duration
    ) {
        var event = event
        // What is DNS stays behind the DNS that is under way, also when the extra delay ends.
        if packet.isDNS, dnsDelay != nil || !dnsLine.isEmpty {
            event.time += dnsDelay ?? .zero
            dnsLine.append(event, length: packet.length)
        } else if isOvertaker {
            event.time = time
            overtakers.append(event, length: packet.length)
        } else {
            line.append(event, length: packet.length)
        }
    }

    // MARK: Events

    private enum Source { case drops, overtakers, line, dnsLine }

    /// Where the event with the earliest time is.
    private var earliest: (source: Source, time: Duration)? {
        var earliest: (source: Source, time: Duration)?
        func consider(_ source: Source, _ time: Duration?) {
            guard let time, time < earliest?.time ?? .seconds(Int64.max) else { return }
            earliest = (source, time)
        }
        consider(.drops, drops.nextTime)
        consider(.overtakers, overtakers.nextTime)
        consider(.line, line.nextTime)
        consider(.dnsLine, dnsLine.nextTime)
        return earliest
    }

    private mutating func count(_ departure: (event: PacketEvent, length: ByteCount)) -> PacketEvent
    {
        tally.deliveredPackets += 1
        tally.deliveredBytes.add(departure.length)
        if !departure.event.releasesSlot { tally.duplicatedPackets += 1 }
        if case .corrupted = departure.event.verdict { tally.corruptedPackets += 1 }
        return departure.event
    }
}

extension DirectionConditions {
    /// Whether packets that come at once have the same fate: nothing but delay, or nothing passes.
    fileprivate var treatAllAlike: Bool {
        guard bandwidth == nil, trace == nil else { return false }
        if loss == .random(.one) { return true }
        return loss.mean == .zero && duplicate == .zero && corrupt == .zero
            && (reorder?.mean ?? .zero) == .zero
    }
}

extension ByteCount {
    fileprivate mutating func add(_ other: ByteCount) {
        self = ByteCount(bytes: bytes &+ other.bytes)
    }
}

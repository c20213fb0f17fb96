public import LinkModel
public import LinkUnits

/// One direction of a link.
///
/// Sans-I/O: the caller provides the time and the arriving packets, and asks what leaves. All times
/// count from one moment of the caller's choice (at which a delivery trace starts), and never go
/// back. Everything follows from the schedule of the link: however late the caller asks, a packet's
/// time is the one at which it left.
///
///     queue ─ bandwidth ─ loss ─ copies, flipped bits ─┬─ delay with jitter ───────┬─ out
///                                                      ├─ the same + delay of DNS ─┤
///                                                      └─ overtaking ──────────────┘
///
/// Loss comes after the bottleneck: a lost packet has used its bandwidth.
public struct LinkEmulator: Sendable {
    /// The one-way delay without jitter.
    public private(set) var delay: Duration
    private var dnsDelay: Duration?
    /// Whether all packets are treated the same, apart from their arrival times.
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

    /// The latest time that the caller provided.
    private var clock = Duration.zero
    private var tally = EmulatorCounters()

    /// Makes an empty link.
    ///
    /// The same seed and the same packets at the same times give the same result. `dnsDelay` is
    /// added to the delay of DNS packets. A trace replaces the bandwidth; the caller reads the file
    /// that the conditions name.
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

    /// Whether its conditions affect packets individually, so that a super-packet must be split.
    ///
    /// A delay does not, even a varying one: it depends on the arrival time, and the segments of a
    /// super-packet arrive together.
    public var treatsPacketsSingly: Bool { !treatsAllAlike }

    /// Enqueues a packet that arrives at the near end.
    public mutating func enqueue(_ packet: Packet, at now: Duration) {
        advance(to: now)
        tally.arrivedPackets += 1
        tally.arrivedBytes.add(packet.length)
        bottleneck.enqueue(packet, at: clock, drops: &drops)
        tally.longestQueue = max(tally.longestQueue, bottleneck.packetCount)
        advance(to: clock)
    }

    /// The next packet that left the link or was dropped by `now`; nil if there is none yet.
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

    /// When `nextVerdict` may return something; nil while the link is empty.
    ///
    /// Never later than a packet leaves, and seldom earlier; drops by the loss model or the queue
    /// management are reported when the caller next asks.
    public var nextEvent: Duration? {
        let known = earliest?.time
        // The next bottleneck departure joins the end of the delay line, unless it takes another
        // path.
        guard let departure = bottleneck.nextDeparture,
            line.isEmpty || overtaking.isActive || dnsDelay != nil
        else { return known }
        let exit = departure + leastDelay
        return known.map { min($0, exit) } ?? exit
    }

    /// The least time that a packet takes over the link.
    public var leastDelay: Duration {
        overtaking.isActive ? .zero : max(.zero, delay + jitter.least)
    }

    /// Changes the conditions of the link.
    ///
    /// No packet on it is lost. Packets at the bottleneck use the new bandwidth from now on;
    /// packets in flight keep their arrival times, and later packets do not overtake them. A trace
    /// starts now, unless it is already playing.
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

    /// The mean bandwidth of the link; nil without a limit.
    public var meanBandwidth: Bandwidth? { bottleneck.meanRate }

    /// How long packets have been in transmission at the bottleneck, as of the latest time that the
    /// caller provided. The rest of the time the bottleneck was idle.
    public var timeUsed: Duration { bottleneck.timeUsed(by: clock) }

    /// The counters as of the latest time that the caller provided.
    public var counters: EmulatorCounters {
        var counters = tally
        counters.queueFullPackets = drops.queueFull
        counters.managedPackets = drops.managed
        counters.lostPackets = drops.lost
        counters.queuedPackets = bottleneck.packetCount
        counters.queuedBytes = bottleneck.byteCount
        return counters
    }

    // MARK: Packets in flight

    /// Processes all events up to `now`.
    private mutating func advance(to now: Duration) {
        if now > clock { clock = now }
        while let (packet, start, end) = bottleneck.departure(by: clock, drops: &drops) {
            sendOn(packet, transmittedFrom: start, at: end)
        }
    }

    /// Handles a packet that leaves the bottleneck.
    private mutating func sendOn(
        _ packet: Packet, transmittedFrom start: Duration, at time: Duration
    ) {
        // Every stage draws for every packet, so that its random numbers do not depend on the
        // others.
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
            var copy = PacketEvent(
                slot: packet.slot, verdict: .delivered, time: arrival, releasesSlot: false,
                isMarked: packet.isMarked)
            (copy.transmissionStart, copy.transmissionEnd) = (start, time)
            append(copy, of: packet, isOvertaker: isOvertaker, leaving: time)
        }
        var event = PacketEvent(
            slot: packet.slot, verdict: verdict, time: arrival, isMarked: packet.isMarked)
        (event.transmissionStart, event.transmissionEnd) = (start, time)
        append(event, of: packet, isOvertaker: isOvertaker, leaving: time)
    }

    private mutating func append(
        _ event: PacketEvent, of packet: Packet, isOvertaker: Bool, leaving time: Duration
    ) {
        var event = event
        // DNS packets stay in order, even when the extra delay ends.
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

    /// The earliest event, and the line that holds it.
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
    /// Whether packets that arrive together are treated the same: only a delay, or total loss.
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

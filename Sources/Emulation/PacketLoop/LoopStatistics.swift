public import LinkModel
public import LinkUnits
public import Middleboxes
public import PacketEngine

/// Statistics of a loop since its start.
public struct LoopStatistics: Sendable, Hashable {
    /// From the app to the network.
    public var up: DirectionStatistics
    /// From the network to the app.
    public var down: DirectionStatistics

    /// The counters in the form that both data planes report.
    public var counters: LinkCounters { LinkCounters(up: up.counters, down: down.counters) }
}

/// Statistics of one direction of a loop since its start.
public struct DirectionStatistics: Sendable, Hashable {
    /// The counters of the emulated link. Where packets are treated individually, each segment of a
    /// super-packet counts; otherwise the super-packet counts as one.
    public internal(set) var link: EmulatorCounters
    /// Frames that passed at once: not IP, or neighbour discovery.
    public internal(set) var exempt: UInt64 = 0
    /// Packets that opened a connection, sent data or asked for an echo.
    public internal(set) var requestPackets: UInt64 = 0
    /// How often the app asked something of the network, as `RequestMeter` counts.
    public internal(set) var requests: UInt64 = 0

    /// Packets dropped because they exceeded the MTU of the link.
    public internal(set) var oversizedPackets: UInt64 = 0
    /// Their bytes, counted as IP packets.
    public internal(set) var oversizedBytes: UInt64 = 0

    /// Packets that what stands in the middle dropped, by reason.
    public internal(set) var stopped: [MiddleboxDrop: UInt64] = [:]
    /// Questions for names that what stands in the middle answered, by the kind of answer.
    public internal(set) var answered: [ResolverAnswer.Kind: UInt64] = [:]
    /// Packets to which a NAT in the middle gave other addresses.
    public internal(set) var translatedPackets: UInt64 = 0
    /// How often a NAT in the middle forgot its entries by intention.
    public internal(set) var rebindings: UInt64 = 0
    /// The stopped packets that had crossed the link.
    private var stoppedBehind: UInt64 = 0
    private var stoppedBytesBehind: UInt64 = 0
    private var stoppedBytesAhead: UInt64 = 0

    /// Frames that arrived faster than the loop could read. No profile asks for these drops.
    public internal(set) var socketDrops: UInt64 = 0
    /// Packets dropped for lack of memory. No profile asks for these drops.
    public internal(set) var memoryDrops: UInt64 = 0
    /// Frames that could not be read, or were too long. No profile asks for these drops.
    public internal(set) var unreadable: UInt64 = 0
    /// Frames that the kernel refused, for example because the interface is down.
    public internal(set) var sendFailures: UInt64 = 0
    /// Those of them that the other end takes from nobody: it is down, gone, or has a smaller MTU.
    public internal(set) var undeliverable: UInt64 = 0
    /// Those of them that the kernel took for wrong.
    public internal(set) var refused: UInt64 = 0
    /// Packets dropped because later ones had passed by the link meanwhile (see `RedirectLease`).
    public internal(set) var staleDrops: UInt64 = 0
    /// How long packets have passed by the link, since nobody extended its lease.
    public internal(set) var bypass = Duration.zero
    /// Bytes of memory now in use for frames.
    public internal(set) var memory = ByteCount(bytes: 0)
    /// The total time that departed packets had spent on the link.
    public internal(set) var timeOnLink = Duration.zero

    /// How much later than scheduled packets were passed to the kernel.
    public private(set) var lateness = LatenessHistogram()
    /// How long the newest packets were on the link.
    public internal(set) var recentTimes = RecentTimes()
    /// The packets that were later than the loop's `LatenessTolerance` allows.
    public private(set) var late = LatePackets()
    /// When the machine could not fill the link.
    public internal(set) var shortage = ProcessorShortage()

    init(link: EmulatorCounters) {
        self.link = link
    }

    /// Counts packets that left together.
    ///
    /// - Parameters:
    ///   - limit: How late packets may be.
    ///   - time: When they left, since the start.
    mutating func record(
        lateness: Duration, packets: Int = 1, limit: Duration, at time: Duration
    ) {
        self.lateness.record(lateness, packets: packets)
        if lateness > limit { late.record(lateness, packets: UInt64(packets), at: time) }
    }

    /// Counts packets that what stands in the middle dropped.
    ///
    /// - Parameters:
    ///   - bytes: their length together.
    ///   - isAhead: whether they never were on the link.
    mutating func stop(_ drop: MiddleboxDrop, packets: UInt64, bytes: Int, isAhead: Bool) {
        stopped[drop, default: 0] += packets
        if isAhead {
            stoppedBytesAhead += UInt64(bytes)
        } else {
            stoppedBehind += packets
            stoppedBytesBehind += UInt64(bytes)
        }
    }

    /// Packets that were lost although no conditions asked for it.
    public var unwantedDrops: UInt64 {
        socketDrops + memoryDrops + unreadable + sendFailures + staleDrops - undeliverable
    }
}

extension DirectionStatistics {
    /// The counters in the form that both data planes report.
    public var counters: DirectionCounters {
        var engine = EngineCounters()
        let stoppedPackets = stopped.values.reduce(0, +)
        engine.arrivedPackets =
            link.arrivedPackets + oversizedPackets + stoppedPackets - stoppedBehind
        engine.arrivedBytes = ByteCount(
            bytes: link.arrivedBytes.bytes &+ oversizedBytes &+ stoppedBytesAhead)
        engine.blockedPackets = stopped[.blocked] ?? 0
        engine.forgottenPackets = stopped[.forgotten] ?? 0
        engine.unmappedPackets = stopped[.unmapped] ?? 0
        engine.tableFullPackets = stopped[.tableFull] ?? 0
        engine.unansweredPackets = stopped[.unanswered] ?? 0
        engine.captivePackets = stopped[.captive] ?? 0
        engine.unroutedPackets = stopped[.unrouted] ?? 0
        engine.failedQuestions = answered[.failure] ?? 0
        engine.unknownNameQuestions = answered[.unknownName] ?? 0
        engine.misledQuestions = answered[.wrong] ?? 0
        engine.truncatedQuestions = answered[.truncated] ?? 0
        engine.synthesizedQuestions = answered[.synthesized] ?? 0
        engine.translatedPackets = translatedPackets
        engine.rebindings = rebindings
        engine.queueFullPackets = link.queueFullPackets
        engine.managedPackets = link.managedPackets
        engine.duplicatedPackets = link.duplicatedPackets
        engine.corruptedPackets = link.corruptedPackets
        engine.exemptPackets = exempt
        engine.heldPackets = link.heldPackets
        engine.longestQueuePackets = UInt64(link.longestQueue)
        engine.socketDroppedPackets = socketDrops
        engine.memoryDroppedPackets = memoryDrops
        engine.unreadablePackets = unreadable
        engine.unsentPackets = sendFailures + staleDrops
        engine.lateness = EngineCounters.Lateness(lateness)
        engine.late = late
        engine.timeOnLink = timeOnLink
        return DirectionCounters(
            packets: link.deliveredPackets - stoppedBehind,
            bytes: ByteCount(bytes: link.deliveredBytes.bytes - stoppedBytesBehind),
            dropped: link.queueFullPackets + link.managedPackets + oversizedPackets
                + stoppedPackets,
            lost: link.lostPackets, marked: link.markedPackets,
            queuedPackets: UInt64(link.queuedPackets), engine: engine)
    }
}

extension EngineCounters.Lateness {
    /// Nil if nothing was measured.
    fileprivate init?(_ histogram: LatenessHistogram) {
        guard let median = histogram.quantile(.percent(50)),
            let p99 = histogram.quantile(.percent(99))
        else { return nil }
        self.init(
            p50: median.microseconds, p99: p99.microseconds,
            maximum: histogram.maximum.microseconds)
    }
}

extension Duration {
    fileprivate var microseconds: Double { Double(wholeNanoseconds) / 1000 }
}

import LinkModel
import LinkUnits
import LinuxKernel
import Middleboxes
import PacketEngine
import SystemPackage

/// One direction of a link: from its inbox through the emulation to its outbox.
struct Forwarder: ~Copyable {
    let direction: Direction
    let clock: LoopClock
    private let tolerance: LatenessTolerance
    private let lease: RedirectLease?
    /// The lease's lapses before.
    private let formerLapse: Duration
    /// Frames that arrived earlier are dropped when they leave.
    private var staleness = Duration.zero
    let observer: (any PacketObserver)?
    private var emulator: LinkEmulator
    var store: FrameStore
    private var inbox: Inbox
    private var outbox: Outbox
    private(set) var mtu: LinkMTU?
    let middle: LinkMiddle
    var wayBack: WayBack
    private let framing: RedirectLoop.Framing
    /// Distinguishes the frames of the two directions; nil if there is only one.
    private var traffic: LoopbackTraffic?
    /// Whether to pass on frames of the other direction at once; otherwise they are ignored.
    var passesOthers = false
    /// Whether frames that leave the link are delivered or discarded.
    var isConnected = true
    var statistics: DirectionStatistics
    private var requests = RequestMeter()
    /// How many packets have entered the link.
    private var entered: UInt64 = 0
    /// The time that the emulation was last given.
    private(set) var time = Duration.zero
    private var watch = ShortageWatch()

    init(
        _ direction: Direction, _ path: LoopPath, _ conditions: LinkConditions,
        _ traces: LinkTraces, seed: UInt64, receiver: consuming PacketReceiver, memory: ByteCount,
        clock: LoopClock, tolerance: LatenessTolerance, lease: RedirectLease?,
        observer: (any PacketObserver)?, middle: LinkMiddle
    ) throws(KernelError) {
        self.direction = direction
        self.clock = clock
        self.lease = lease
        formerLapse = lease?.lapsedTime ?? .zero
        self.observer = observer
        emulator = LinkEmulator(direction, conditions, traces, seed: seed)
        statistics = DirectionStatistics(link: emulator.counters)
        let outbox = try path.makeOutbox()
        store = try FrameStore(limit: memory)
        inbox = Inbox(receiver, store: &store)
        self.outbox = outbox
        self.tolerance = tolerance
        self.outbox.latenessLimit = tolerance.limit(delay: emulator.delay)
        mtu = direction.conditions(of: conditions).mtu
        self.middle = middle
        wayBack = WayBack(path)
        framing = path.framing
        traffic = path.traffic
    }

    /// Does the work that is due, and returns when the next is due; nil if only a frame or a change
    /// can cause more work.
    mutating func turn(expectsFrames: Bool) -> Duration? {
        let isDrained = receive(isExpectant: expectsFrames)
        if isDrained { time = max(time, clock.now) }
        if let lease { staleness = lease.staleness(at: KernelClock.monotonic) - clock.monotonic }
        if direction == .down { takeAnswers() }
        judge()
        outbox.flush(clock, &store, &statistics)
        if watch.isDue(at: time) { lookForShortage() }
        if outbox.isRefused { return clock.monotonic + clock.now + Outbox.retryInterval }
        guard isDrained else { return clock.monotonic }
        guard let next = emulator.nextEvent else {
            store.forgetBytes()
            return nil
        }
        return clock.monotonic + next
    }

    /// Checks whether the machine limits the link.
    private mutating func lookForShortage() {
        guard let bandwidth = emulator.meanBandwidth else { return }
        let reading = ShortageWatch.Reading(
            time: time, used: emulator.timeUsed, thread: KernelClock.threadTime,
            process: KernelClock.processTime)
        let finding = watch.take(reading) {
            guard let processors = Processors(), let idle = processors.idleTime else { return nil }
            return ShortageWatch.Machine(processors: processors.count, idle: idle)
        }
        if let finding { statistics.shortage.add(finding, bandwidth: bandwidth) }
    }

    /// How long ago the last packet arrived of those that were read; nearly nothing if those were all.
    var lag: Duration { clock.now - time }

    /// Receives frames, and returns whether those were all.
    ///
    /// Until then, the emulation is given no later time than that of the last packet.
    private mutating func receive(isExpectant: Bool) -> Bool {
        let count: Int
        do {
            count = try inbox.receive(isExpectant: isExpectant)
        } catch {
            // A downed interface reports its error once; frames return when it is up.
            if error != .networkDown { statistics.unreadable += 1 }
            return true
        }
        guard count > 0 else { return true }
        let now = clock.now
        for index in 0..<count {
            switch inbox.take(index, to: &store) {
            case .frame(let id, let arrival):
                time = max(time, arrival.map { $0 - clock.monotonic } ?? now)
                enter(id)
            case .unreadable: statistics.unreadable += 1
            case .memoryFull: statistics.memoryDrops += 1
            }
        }
        return count < ReceiveBatch.capacity
    }

    /// Puts a frame on the link, split where the link treats packets individually.
    ///
    /// - Parameter isAnswer: whether it comes from what stands in the middle.
    mutating func enter(_ id: FrameStore.ID, isAnswer: Bool = false) {
        if framing == .dressed {
            store.insertEthernetHeader(to: RedirectLoop.standInAddress, into: id)
        }
        var (headers, superFrame, isMine) = read(id)
        guard isMine || passesOthers else {
            store.release(id)
            return
        }
        store[id].arrival = time
        if outbox.isLocal { store.limitSegmentSize(id, headers) }
        guard isMine else {
            pass(id, superFrame)
            return
        }
        guard !headers.isExempt else {
            statistics.exempt += 1
            store[id].number = nil
            if middle.isActive, isAddressResolved(id) { return }
            observe(Ticket(frame: id), at: time, .exempt)
            send(exempt: id)
            return
        }
        var limit = mtu
        if direction == .down, !isAnswer, middle.isActive {
            if isStopped(id, count: superFrame?.count ?? 1) { return }
            if headers.version == 4, store.isIPv6(id) {
                (headers, superFrame, _) = read(id)
                limit = limitOfLongerPackets(id, superFrame)
            }
        }
        let isDNS = headers.isToDNS && direction == .up
        store[id].number = entered + 1
        let count = UInt64(superFrame?.count ?? 1)
        entered += count
        if headers.isRequest, direction == .up {
            statistics.requestPackets += count
            if requests.take(headers) { statistics.requests += 1 }
        }
        guard let superFrame else {
            enqueue(Ticket(frame: id), headers.length, headers, isDNS, limit)
            return
        }
        store[id].superFrame = superFrame
        store.retain(id, count: superFrame.count - 1)
        for segment in 0..<superFrame.count {
            enqueue(
                Ticket(frame: id, segment: segment), superFrame.length(of: segment), headers,
                isDNS, limit)
        }
    }

    /// Reads the headers of a frame, and notes where they are.
    ///
    /// - Returns: its headers; what it is if it is to be split; whether it belongs to this direction.
    private mutating func read(
        _ id: FrameStore.ID
    ) -> (FrameHeaders, SuperFrame?, isMine: Bool) {
        let isCut = emulator.treatsPacketsSingly || mtu != nil
        let cutsDatagrams = outbox.isLocal
        let found = store.withFrame(id) { virtual, frame in
            let headers = framing == .bare ? FrameHeaders(packet: frame) : FrameHeaders(frame)
            let direction = traffic?.direction(headers, frame) ?? direction
            let mustCut = isCut || cutsDatagrams && virtual.segmentation == .udp
            return (
                headers, mustCut ? SuperFrame(virtual, headers, frame) : nil,
                direction == self.direction
            )
        }
        store.finishInnerChecksum(of: id, found.0)
        store[id].network = found.0.network
        store[id].length = found.0.length
        return found
    }

    private mutating func enqueue(
        _ ticket: Ticket, _ length: Int, _ headers: FrameHeaders, _ isDNS: Bool, _ mtu: LinkMTU?
    ) {
        if let mtu, length > mtu.bytes {
            refuse(ticket, headers, isDNS, mtu)
        } else {
            emulate(ticket, length, headers, isDNS)
        }
    }

    private mutating func emulate(
        _ ticket: Ticket, _ length: Int, _ headers: FrameHeaders, _ isDNS: Bool
    ) {
        emulator.enqueue(
            Packet(
                slot: ticket.slot, length: ByteCount(bytes: UInt64(length)), flow: headers.flow,
                isDNS: isDNS, canBeMarked: headers.canBeMarked), at: time)
    }

    /// Fragments or drops a packet that is larger than the link's MTU.
    private mutating func refuse(
        _ ticket: Ticket, _ headers: FrameHeaders, _ isDNS: Bool, _ mtu: LinkMTU
    ) {
        defer { store.release(ticket.frame) }
        guard let (link, packet) = store.bytes(of: ticket) else {
            statistics.memoryDrops += 1
            return
        }
        switch OversizedPacket(packet, headers, mtu) {
        case .cut(let parts):
            for part in parts {
                guard let id = store.frame(link, part) else {
                    statistics.memoryDrops += 1
                    continue
                }
                entered += 1
                (store[id].number, store[id].arrival) = (entered, time)
                emulate(Ticket(frame: id), part.count, headers, isDNS)
            }
        case .dropped(let answer):
            statistics.oversizedPackets += 1
            statistics.oversizedBytes += UInt64(packet.count)
            observe(ticket, at: time, .oversized)
            // The kernel, too, answers a super-packet once.
            guard let answer, ticket.segment ?? 0 == 0,
                let shown = store.frame(answering: link, answer)
            else { return }
            store[shown].arrival = time
            observe(Ticket(frame: shown), at: time, .answer)
            let id = outside(shown, link, answer)
            if !wayBack.send(id, clock, &store, statistics) { send(exempt: id) }
        }
    }

    private mutating func send(exempt id: FrameStore.ID) {
        guard isConnected else {
            store.release(id)
            return
        }
        if !outbox.hasRoom { outbox.flush(clock, &store, &statistics) }
        guard outbox.hasRoom else {
            statistics.sendFailures += 1
            store.release(id)
            return
        }
        outbox.add(id, due: nil, &store, &statistics)
    }

    /// Passes on a frame of the other direction.
    private mutating func pass(_ id: FrameStore.ID, _ superFrame: SuperFrame?) {
        guard let superFrame else {
            send(exempt: id)
            return
        }
        store[id].superFrame = superFrame
        store.retain(id, count: superFrame.count - 1)
        for segment in 0..<superFrame.count {
            if !outbox.hasRoom { outbox.flush(clock, &store, &statistics) }
            if outbox.hasRoom {
                outbox.add(segment: segment, of: id, due: nil, &store, &statistics)
            } else {
                statistics.sendFailures += 1
                store.release(id)
            }
        }
    }

    /// Carries out the verdicts of the emulation up to now.
    private mutating func judge() {
        while true {
            if !outbox.hasRoom {
                outbox.flush(clock, &store, &statistics)
                // Packets that the kernel has no room for wait on the link.
                guard outbox.hasRoom else { return }
            }
            guard let event = emulator.nextVerdict(at: time) else { return }
            carryOut(event)
        }
    }

    private mutating func carryOut(_ event: PacketEvent) {
        let ticket = Ticket(slot: event.slot)
        if direction == .up, middle.isActive, isConnected, stops(ticket, event) { return }
        observe(ticket, event)
        if !event.releasesSlot { store.retain(ticket.frame) }
        if event.leaves { statistics.timeOnLink += event.time - store[ticket.frame].arrival }
        switch event.verdict {
        case _ where !isConnected: break
        case _ where store[ticket.frame].arrival < staleness: statistics.staleDrops += 1
        case .delivered where event.isMarked && ticket.segment != nil || isKept(ticket, event):
            // Other packets share its header.
            if let copy = store.copy(of: ticket) {
                if event.isMarked { store.mark(copy) }
                outbox.add(copy, due: event.time, &store, &statistics)
            } else {
                statistics.memoryDrops += 1
            }
        case .delivered:
            if event.isMarked { store.mark(ticket.frame) }
            // The outbox takes over the reference.
            if let segment = ticket.segment {
                outbox.add(
                    segment: segment, of: ticket.frame, due: event.time, &store, &statistics)
            } else {
                outbox.add(ticket.frame, due: event.time, &store, &statistics)
            }
            return
        case .corrupted(let bit):
            if outbox.isLocal, store.isInHeader(bit, ticket) {
                // The receiver could detect the flip by that header's checksum, but the kernel
                // recomputes it.
                break
            }
            if event.isMarked, ticket.segment == nil { store.mark(ticket.frame) }
            if let copy = store.corruptedCopy(of: ticket, bit: bit) {
                outbox.add(copy, due: event.time, &store, &statistics)
            } else {
                statistics.memoryDrops += 1
            }
        case .queueFull, .managed, .lost: break
        }
        store.release(ticket.frame)
    }
}

extension Forwarder {
    /// Changes the conditions; packets on the link stay on it.
    mutating func change(to conditions: LinkConditions, _ traces: LinkTraces) {
        let conditions = conditions.withExplicitLoss
        mtu = direction.conditions(of: conditions).mtu
        emulator.change(
            to: direction.conditions(of: conditions), dnsDelay: direction.dnsDelay(conditions),
            trace: traces[direction], at: time)
        outbox.latenessLimit = tolerance.limit(delay: emulator.delay)
    }

    /// How long arrivals may wait in the socket: too short for one of them to become due meanwhile.
    var arrivalPatience: Duration {
        // Some pass at once, or are answered at once.
        guard mtu == nil, !passesOthers else { return .zero }
        return min(Self.mostPatience, emulator.leastDelay / 2)
    }

    /// Nor may too many of them gather.
    private static let mostPatience = Duration.milliseconds(1)

    /// How many packets are between arrival and departure. The number of those that were not read
    /// yet is unknown: they count as one.
    func packetsUnderWay() -> UInt64 {
        emulator.counters.heldPackets + UInt64(outbox.packetCount) + (inbox.hasFrames() ? 1 : 0)
    }

    /// The statistics so far.
    mutating func currentStatistics() -> DirectionStatistics {
        statistics.socketDrops += UInt64(inbox.takeDrops())
        statistics.link = emulator.counters
        if direction == .up { statistics.rebindings = middle.rebindings }
        statistics.memory = ByteCount(bytes: UInt64(store.used))
        if let lease { statistics.bypass = lease.lapsedTime - formerLapse }
        statistics.recentTimes.now = clock.now
        return statistics
    }
}

import LinkModel
import LinkUnits
import LinuxKernel
import PacketEngine
import Synchronization
import SystemPackage

/// The source and destination of the frames of a direction.
enum LoopPath {
    /// From one interface to another; all frames belong to this direction.
    case wire(from: Int32, to: Int32)
    /// From an interface that receives what a host's loopback sends in both directions, back to
    /// that loopback.
    case loopback(from: Int32, of: FileDescriptor)
    /// From an interface to which filters redirect frames of another one, back to that one, with a
    /// mark that exempts them from those filters.
    case redirect(from: Int32, to: MarkedOutput, RedirectLoop.Framing)
    /// From an interface to which filters redirect what this host's loopback sends in both
    /// directions, back to the loopback, with a mark that exempts them from those filters.
    case loopbackRedirect(from: Int32, mark: UInt32)

    /// The interface where frames arrive.
    var source: Int32 {
        switch self {
        case .wire(let source, _), .loopback(let source, _), .redirect(let source, _, _),
            .loopbackRedirect(let source, _):
            source
        }
    }

    /// Distinguishes the frames of the two directions; nil if there is only one.
    var traffic: LoopbackTraffic? {
        switch self {
        case .loopback, .loopbackRedirect: LoopbackTraffic()
        case .wire, .redirect: nil
        }
    }

    var framing: RedirectLoop.Framing {
        if case .redirect(_, _, let framing) = self { framing } else { .ethernet }
    }

    func makeOutbox() throws(KernelError) -> Outbox {
        switch self {
        case .wire(_, let target): try Outbox(interface: target)
        case .loopback(_, let host): try Outbox(loopbackOf: host)
        case .redirect(_, let exit, _): try Outbox(exit)
        case .loopbackRedirect(_, let mark): try Outbox(loopbackMark: mark)
        }
    }
}

/// The thread of one direction, and its stand-in where it may not go before all others (`SCHED_FIFO`).
final class DirectionLoop: Sendable {
    private let direction: Direction
    /// Nil when it is closed.
    private let forwarder: Mutex<Forwarder?>
    private let alarm: Alarm
    private let isStopped = Atomic<Bool>(false)
    private let thread = Mutex<KernelThread?>(nil)
    private let standIn = Mutex<StandIn?>(nil)

    init(
        _ direction: Direction, _ path: LoopPath, _ conditions: LinkConditions,
        _ traces: LinkTraces, seed: UInt64, memory: ByteCount, clock: LoopClock,
        tolerance: LatenessTolerance = .standard, lease: RedirectLease? = nil,
        observer: (any PacketObserver)?, middle: LinkMiddle = LinkMiddle(nil)
    ) throws(KernelError) {
        self.direction = direction
        let receiver = try PacketReceiver(interface: path.source)
        alarm = try Alarm(for: receiver)
        forwarder = Mutex(
            try Forwarder(
                direction, path, conditions, traces, seed: seed, receiver: receiver,
                memory: memory, clock: clock, tolerance: tolerance, lease: lease,
                observer: observer, middle: middle))
    }

    func start() throws(KernelError) {
        let started = try KernelThread(named: "link-\(direction.rawValue)") { [self] in run() }
        thread.withLock { $0 = started }
    }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
        alarm.ring()
        thread.withLock { $0.take() }?.join()
        standIn.withLock { $0.take() }?.dismiss()
    }

    /// Closes the sockets of a loop that was stopped, and forgets its statistics.
    func close() { forwarder.withLock { $0 = nil } }

    func change(to conditions: LinkConditions, _ traces: LinkTraces) {
        forwarder.withLock { $0?.change(to: conditions, traces) }
        // Queued packets may now leave before the thread would wake up.
        alarm.ring()
    }

    /// Makes the thread look for work.
    func wake() { alarm.ring() }

    /// Whether packets of the other direction are passed on at once, instead of being left to
    /// another loop.
    func setPassesOthers(_ passes: Bool) {
        forwarder.withLock { $0?.passesOthers = passes }
    }

    /// Whether frames that leave the link are delivered or discarded.
    func setConnected(_ isConnected: Bool) {
        forwarder.withLock { $0?.isConnected = isConnected }
    }

    var statistics: DirectionStatistics {
        forwarder.withLock { $0?.currentStatistics() }
            ?? DirectionStatistics(link: EmulatorCounters())
    }

    /// How many packets have arrived and not yet left.
    var packetsUnderWay: UInt64 { forwarder.withLock { $0?.packetsUnderWay() ?? 0 } }

    private func run() {
        let mayPrecede = KernelThread.makeCallingThreadPunctual()
        var isFirst = mayPrecede
        var precedence = Precedence()
        var wakeUp = WakeUpTime()
        var request = WakeUpRequest(mayPrecede ? QuickWakeUps() : nil)
        var pauses = Pauses(sharesProcessor: Processors()?.count == 1)
        var hasFrames = true
        while !isStopped.load(ordering: .relaxed) {
            let (next, patience, lag) = forwarder.withLock {
                (
                    turn(&$0, expectsFrames: hasFrames), $0?.arrivalPatience ?? .zero,
                    $0?.lag ?? .zero
                )
            }
            let now = KernelClock.monotonic
            if mayPrecede, precedence.isDue(lag: lag, at: now) != isFirst {
                isFirst = KernelThread.makeCallingThreadPunctual(isPreferred: !isFirst)
            }
            request.update(hasPackets: next != nil, at: now)
            if isFirst, let end = pauses.end(at: now) {
                KernelClock.sleep(until: end)
                hasFrames = true
                continue
            }
            let alarmTime = next.map { wakeUp.time(for: $0, at: now) }
            if let next, next - now < patience {
                // Arrivals until then need not wake it up; the next turn takes them.
                hasFrames = true
                if let alarmTime, alarmTime > now {
                    KernelClock.sleep(until: alarmTime)
                } else if next > now {
                    waitAwake(until: next, isFirst)
                } else if isFirst {
                    // No other thread of its priority would be let in before it sleeps.
                    KernelThread.yield()
                }
            } else {
                hasFrames = alarm.wait(until: alarmTime ?? request.end)
            }
            let woken = KernelClock.monotonic
            pauses.note(min(woken, alarmTime ?? woken) - now)
            if let next, let alarmTime, alarmTime > now, woken >= alarmTime {
                wakeUp.learn(woken - alarmTime)
                waitAwake(until: next, isFirst)
            }
            if !mayPrecede, let next, KernelClock.monotonic - next > StandIn.patience {
                callStandIn()
            }
        }
    }

    private func waitAwake(until moment: Duration, _ isFirst: Bool) {
        while KernelClock.monotonic < moment {
            // Another thread of its priority may have less time.
            if isFirst { KernelThread.yield() }
        }
    }

    private func turn(_ forwarder: inout Forwarder?, expectsFrames: Bool) -> Duration? {
        let next = forwarder?.turn(expectsFrames: expectsFrames) ?? nil
        standIn.withLock { $0?.expect(next) }
        return next
    }

    private func callStandIn() {
        standIn.withLock { standIn in
            guard standIn?.isHere != true else { return }
            standIn?.dismiss()
            // Without one, the thread does it alone.
            standIn = try? StandIn(named: "link-\(direction.rawValue)+") { [self] in
                _ = forwarder.withLockIfAvailable { turn(&$0, expectsFrames: true) }
            }
        }
    }
}

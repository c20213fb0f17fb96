import LinkModel
import LinkUnits
import LinuxKernel
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

/// The thread of one direction.
///
/// Where it may not go before all others (`SCHED_FIFO`), a busy machine keeps it waiting: a thread that
/// has just run is not let in again at once, and then the kernel looks only at its next tick, after up to
/// 4 ms. The wake-up of another thread makes it look. So a stand-in wakes up whenever the thread is
/// overdue, and does the work itself if it can. It exists only while that happens.
final class DirectionLoop: Sendable {
    private let direction: Direction
    private let forwarder: Mutex<Forwarder>
    private let alarm: Alarm
    private let isStopped = Atomic<Bool>(false)
    private let thread = Mutex<KernelThread?>(nil)
    private let standIn = Mutex<KernelThread?>(nil)
    private let hasStandIn = Atomic<Bool>(false)
    /// When the next work is due, in nanoseconds of the monotonic clock; 0: nobody knows.
    private let due = Atomic<Int64>(0)

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
        standIn.withLock { $0.take() }?.join()
    }

    func change(to conditions: LinkConditions, _ traces: LinkTraces) {
        forwarder.withLock { $0.change(to: conditions, traces) }
        // Queued packets may now leave before the thread would wake up.
        alarm.ring()
    }

    /// Makes the thread look for work.
    func wake() { alarm.ring() }

    /// Whether packets of the other direction are passed on at once, instead of being left to
    /// another loop.
    func setPassesOthers(_ passes: Bool) {
        forwarder.withLock { $0.passesOthers = passes }
    }

    /// Whether frames that leave the link are delivered or discarded.
    func setConnected(_ isConnected: Bool) {
        forwarder.withLock { $0.isConnected = isConnected }
    }

    var statistics: DirectionStatistics {
        forwarder.withLock { $0.currentStatistics() }
    }

    /// How many packets have arrived and not yet left.
    var packetsUnderWay: UInt64 { forwarder.withLock { $0.packetsUnderWay() } }

    private func run() {
        let isFirst = KernelThread.makeCallingThreadPunctual()
        var hasFrames = true
        while !isStopped.load(ordering: .relaxed) {
            let (next, patience) = forwarder.withLock {
                (turn(&$0, expectsFrames: hasFrames), $0.arrivalPatience)
            }
            let wait = next.map { $0 - KernelClock.monotonic }
            if let next, let wait, wait < patience {
                // Arrivals until then need not wake it up; the next turn takes them.
                if wait > .zero {
                    KernelClock.sleep(until: next)
                } else if isFirst {
                    // No other thread of its priority would be let in before it sleeps.
                    KernelThread.yield()
                }
                hasFrames = true
            } else {
                hasFrames = alarm.wait(until: next)
            }
            if !isFirst, let next, KernelClock.monotonic - next > Self.patience { callStandIn() }
        }
    }

    private func turn(_ forwarder: inout Forwarder, expectsFrames: Bool) -> Duration? {
        let next = forwarder.turn(expectsFrames: expectsFrames)
        due.store(next.map { Int64($0.wholeNanoseconds) } ?? 0, ordering: .relaxed)
        return next
    }

    // MARK: Stand-in

    /// How long work may be overdue before the stand-in does it.
    private static let patience = Duration.microseconds(150)
    /// How long the stand-in stays after it was last needed.
    private static let stay = Duration.seconds(1)
    /// How long it sleeps when no work is due, so that it need not be woken.
    private static let nap = Duration.milliseconds(1)

    private func callStandIn() {
        guard !hasStandIn.exchange(true, ordering: .relaxed) else { return }
        standIn.withLock { standIn in
            standIn?.join()
            // Without one, the thread does it alone.
            standIn = try? KernelThread(named: "link-\(direction.rawValue)+") { [self] in
                standByUntilUnneeded()
            }
        }
    }

    private func standByUntilUnneeded() {
        KernelThread.makeCallingThreadPunctual()
        var now = KernelClock.monotonic
        var end = now + Self.stay
        while now < end, !isStopped.load(ordering: .relaxed) {
            let expected = due.load(ordering: .relaxed)
            let overdue = expected > 0 ? .nanoseconds(expected) + Self.patience : now + Self.nap
            KernelClock.sleep(until: min(max(overdue, now + Self.patience), now + Self.nap))
            now = KernelClock.monotonic
            guard expected > 0, overdue <= now, due.load(ordering: .relaxed) == expected else {
                continue
            }
            end = now + Self.stay
            _ = forwarder.withLockIfAvailable { turn(&$0, expectsFrames: true) }
        }
        hasStandIn.store(false, ordering: .relaxed)
    }
}

import LinkModel
import LinkUnits
import LinuxKernel
import PacketEngine
import Synchronization

/// The thread of one direction.
final class DirectionLoop: Sendable {
    private let direction: Direction
    private let forwarder: Mutex<Forwarder>
    private let alarm: Alarm
    private let isStopped = Atomic<Bool>(false)
    private let thread = Mutex<KernelThread?>(nil)

    init(
        _ direction: Direction, from source: Int32, to target: Int32, _ emulator: LinkEmulator,
        memory: ByteCount, clock: LoopClock, observer: (any PacketObserver)?
    ) throws(KernelError) {
        self.direction = direction
        let receiver = try PacketReceiver(interface: source)
        alarm = try Alarm(for: receiver)
        forwarder = Mutex(
            try Forwarder(
                direction, emulator: emulator, receiver: receiver,
                outbox: try Outbox(interface: target), memory: memory, clock: clock,
                observer: observer))
    }

    func start() throws(KernelError) {
        let started = try KernelThread(named: "link-\(direction.rawValue)") { [self] in run() }
        thread.withLock { $0 = started }
    }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
        alarm.ring()
        thread.withLock { $0.take() }?.join()
    }

    func change(to conditions: DirectionConditions, dnsDelay: Duration?, trace: DeliveryTrace?) {
        forwarder.withLock { $0.change(to: conditions, dnsDelay: dnsDelay, trace: trace) }
        // What waits may now leave earlier than the thread will wake up.
        alarm.ring()
    }

    var statistics: DirectionStatistics {
        forwarder.withLock { $0.currentStatistics() }
    }

    private func run() {
        KernelThread.makeCallingThreadPunctual()
        var hasFrames = true
        while !isStopped.load(ordering: .relaxed) {
            let next = forwarder.withLock { $0.turn(expectsFrames: hasFrames) }
            hasFrames = alarm.wait(until: next)
        }
    }
}

public import LinkUnits
import LinuxKernel

/// How long this machine lacked the CPU time to fill a link, and what passed meanwhile.
public struct ProcessorShortage: Sendable, Hashable {
    /// The total time.
    public internal(set) var duration = Duration.zero
    /// The bytes that passed the bottleneck in that time.
    public internal(set) var carried = ByteCount(bytes: 0)
    /// The bytes that its bandwidth would have allowed.
    public internal(set) var possible = ByteCount(bytes: 0)

    /// The mean rate of the bytes that passed; nil if none did.
    public var carriedRate: Bandwidth? { rate(of: carried) }

    /// The mean bandwidth; nil if there was no shortage.
    public var bandwidth: Bandwidth? { rate(of: possible) }

    /// Adds a period in which a link of this bandwidth was only partly used.
    mutating func add(_ finding: ShortageWatch.Finding, bandwidth: Bandwidth) {
        let time = finding.duration
        duration += time
        carried.add(bandwidth.byteCount(in: time * finding.use))
        possible.add(bandwidth.byteCount(in: time))
    }

    private func rate(of count: ByteCount) -> Bandwidth? {
        let seconds = duration / .seconds(1)
        guard seconds > 0 else { return nil }
        return Bandwidth(bitsPerSecond: UInt64(saturating: Double(count.bytes) * 8 / seconds))
    }
}

/// Detects when a link stays below its bandwidth because the machine is at its limit.
///
/// A late emulation shows in its packets. But an emulation at high priority is never late: it takes
/// the CPU from the programs that would send more. So it measures its own CPU use several times a
/// second. A link with spare bandwidth is as fast as this machine can make it if its thread is
/// never idle, or if no CPU is idle and the emulation uses a good part of them. A program that
/// sends less than it could leaves CPUs idle, or the emulation little to do.
struct ShortageWatch {
    /// Totals since the loop started.
    struct Reading {
        var time: Duration
        /// How long packets were in transmission at the bottleneck.
        var used: Duration
        /// The CPU time of this thread.
        var thread: Duration
        /// The CPU time of all threads of this process.
        var process: Duration
    }

    /// How often to measure. The kernel reports CPU idle time in hundredths of a second.
    static let interval = Duration.milliseconds(250)
    /// A link used less than this carries too little, such as acknowledgements, for a shortage to
    /// matter.
    private static let leastUse = 0.01
    /// A link used more than this is full, and a thread busier than this is never idle.
    private static let full = 0.95
    /// The least share of the machine's CPU time at which the emulation can be the cause.
    private static let leastPart = 0.25

    private var last: Reading?
    private var lastMachine: Machine?

    /// The CPUs of the machine.
    struct Machine {
        /// How many there are.
        var processors: Int
        /// Their total idle time.
        var idle: Duration
    }

    /// A period in which the machine was at its limit.
    struct Finding: Equatable {
        /// Its length.
        var duration: Duration
        /// The share of it in which packets were in transmission.
        var use: Double
    }

    /// Whether it is time for the next measurement.
    func isDue(at time: Duration) -> Bool {
        last.map { time - $0.time >= Self.interval } ?? true
    }

    /// Takes a reading, and returns the time since the last one if the machine was at its limit.
    ///
    /// - Parameter machine: reads the state of the CPUs; called only if it matters.
    mutating func take(_ reading: Reading, machine: () -> Machine?) -> Finding? {
        let lastMachine = lastMachine.take()
        guard let last else {
            self.last = reading
            return nil
        }
        self.last = reading
        let elapsed = reading.time - last.time
        guard elapsed > .zero else { return nil }
        let use = (reading.used - last.used) / elapsed
        let isHalfUsed = use >= Self.leastUse && use < Self.full
        let finding = isHalfUsed ? Finding(duration: elapsed, use: use) : nil
        let thread = (reading.thread - last.thread) / elapsed
        if thread >= Self.full { return finding }
        guard thread >= Self.leastPart, let now = machine(), now.processors > 0 else { return nil }
        self.lastMachine = now
        guard let before = lastMachine, before.processors == now.processors else { return nil }
        let whole = elapsed * now.processors
        let isBusy = (now.idle - before.idle) / whole <= 1 - Self.full
        let part = (reading.process - last.process) / whole
        return isBusy && part >= Self.leastPart ? finding : nil
    }
}

extension ByteCount {
    fileprivate mutating func add(_ other: ByteCount) {
        self = ByteCount(bytes: bytes.addingSaturated(other.bytes))
    }
}

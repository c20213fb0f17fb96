public import LinkUnits
import LinuxKernel

/// How long this machine had no processor time left to fill a link, and what passed meanwhile.
public struct ProcessorShortage: Sendable, Hashable {
    /// How long.
    public internal(set) var duration = Duration.zero
    /// What passed the bottleneck in that time.
    public internal(set) var carried = ByteCount(bytes: 0)
    /// What its bandwidth would have let pass.
    public internal(set) var possible = ByteCount(bytes: 0)

    /// The mean rate of what passed; nil if nothing did.
    public var carriedRate: Bandwidth? { rate(of: carried) }

    /// The mean bandwidth; nil if there was no shortage.
    public var bandwidth: Bandwidth? { rate(of: possible) }

    /// Adds a time in which a link of this bandwidth was used for only a part of it.
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

/// Finds out when a link stays below its bandwidth because the machine cannot do more.
///
/// An emulation that is late shows in its packets. But one that goes before all others is never
/// late: it takes the processor from the programs that would send more. So it looks, some times a
/// second, at what it takes itself. A link with room left, while its thread never rests or while no
/// processor rests and the emulation has a good part of them, is as fast as this machine can make
/// it. A program that sends less than it could leaves processors idle, or the emulation little to
/// do.
struct ShortageWatch {
    /// What was spent since the loop began.
    struct Reading {
        var time: Duration
        /// How long packets were in transmission at the bottleneck.
        var used: Duration
        /// How long this thread had a processor.
        var thread: Duration
        /// How long all threads of this process had processors.
        var process: Duration
    }

    /// How often to look. The kernel tells of idle processors in hundredths of a second.
    static let interval = Duration.milliseconds(250)
    /// Of less traffic than this share of the bandwidth, such as acknowledgements, nobody would
    /// send more.
    private static let leastUse = 0.01
    /// A link that is used more is full, and a thread that works more never rests.
    private static let full = 0.95
    /// The part of the machine that the emulation takes at least, if it is in the way.
    private static let leastPart = 0.25

    private var last: Reading?
    private var lastMachine: Machine?

    /// What processors have done.
    struct Machine {
        /// How many there are.
        var processors: Int
        /// How long they have had nothing to do, together.
        var idle: Duration
    }

    /// A time in which the machine could do no more.
    struct Finding: Equatable {
        /// How long it was.
        var duration: Duration
        /// The share of it in which packets were in transmission.
        var use: Double
    }

    /// Whether it is time to look again.
    func isDue(at time: Duration) -> Bool {
        last.map { time - $0.time >= Self.interval } ?? true
    }

    /// Takes a reading, and returns the time since the last one if the machine could do no more.
    ///
    /// - Parameter machine: tells of the processors; asked only if it matters.
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

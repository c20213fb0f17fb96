import LinkUnits
public import LinuxKernel

/// The processor time of the command and of servers, and how much they lacked.
///
/// Without processor time a command neither sends nor reads, and gets less than its link gives,
/// however exact the link is.
public struct ProcessorUse: Codable, Sendable, Hashable {
    /// How long their threads had a processor.
    public var usedSeconds = 0.0
    /// How long the one that waited most waited for a processor that was somebody else's.
    public var lackedSeconds = 0.0
    /// Packets and datagrams that their sockets lost since nobody read them in time.
    public var unreadPackets: UInt64 = 0

    /// Makes a use of nothing.
    public init() {}

    /// What the user should know of a run; nil if there was enough.
    ///
    /// - Parameter duration: How long the command ran.
    public func note(duration: Duration) -> String? {
        let share = lackedSeconds / max(duration.seconds, lackedSeconds, .leastNonzeroMagnitude)
        let isUnread = unreadPackets > 0 && share >= Self.leastShareWithLosses
        guard lackedSeconds >= Self.leastSeconds, share >= Self.leastShare || isUnread else {
            return nil
        }
        let losses =
            unreadPackets == 0
            ? "" : ", and \(unreadPackets) packets were lost since it did not read them in time"
        return "this machine was too busy for the command: for \(Int(share * 100))% of its time it "
            + "waited for a processor\(losses)"
    }

    /// A smaller lack may be one of the moment.
    private static let leastSeconds = 0.5
    /// With less, buffers make up for it. Of iperf3 over LTE on two processors, two at once waited for a
    /// quarter of their time and got all of their links; four for a half, and got up to 5% less; eight
    /// for 70%, and got 5 to 17% less; sixteen for 75%, and got half.
    private static let leastShare = 1.0 / 3
    private static let leastShareWithLosses = 0.05
}

/// Adds up the processor time of threads that are looked at from time to time.
///
/// Between two looks, the longest wait of a thread counts, but no more than what all threads together
/// lacked: those that fill all processors wait for each other only.
///
/// What a thread does after the last look at it is not counted, so short-lived threads are not.
public struct ProcessorMeter {
    /// What has been seen so far.
    public private(set) var use = ProcessorUse()
    private let processors: Int
    private var threads: [Int32: ThreadTimes] = [:]
    private var lastTime = Duration.zero

    /// Begins at time zero.
    ///
    /// - Parameter processors: How many the threads may use.
    public init(processors: Int) {
        self.processors = processors
    }

    /// Takes the times of all threads that exist at a time.
    public mutating func look(_ now: [Int32: ThreadTimes], at time: Duration) {
        var used = Duration.zero
        var waited = Duration.zero
        var longest = Duration.zero
        for (id, times) in now {
            // A thread with less than before is another one with the same ID.
            let before = threads[id].flatMap { $0.used <= times.used ? $0 : nil }
            used += times.used - (before?.used ?? .zero)
            let wait = max(.zero, times.waited - (before?.waited ?? .zero))
            waited += wait
            longest = max(longest, wait)
        }
        let length = time - lastTime
        let lacked = min(used + waited, length * processors) - used
        use.usedSeconds += used.seconds
        use.lackedSeconds += max(.zero, min(lacked, longest, length)).seconds
        (threads, lastTime) = (now, time)
    }
}

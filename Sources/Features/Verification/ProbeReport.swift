public import LinkModel

/// What one of the two programs that measure a link saw.
public struct ProbeReport: Sendable, Hashable, Codable {
    /// A flow as its receiver saw it. The three arrays have an element for each arrival.
    public struct Arrivals: Sendable, Hashable, Codable {
        /// The numbers, in the order of arrival.
        public var numbers: [UInt32] = []
        /// The time of sending, in nanoseconds by `KernelClock.monotonic` of the sender.
        public var sent: [Int64] = []
        /// The time of arrival, in nanoseconds by `KernelClock.monotonic` of the receiver.
        public var received: [Int64] = []
        /// Packets that arrived with other bytes than they were sent with.
        public var damaged = 0
        /// Packets that reached the receiver but found no room in its buffer.
        public var overflows = 0

        package init() {}
    }

    /// What a TCP transfer brought while it counted. Both arrays have an element for each reading,
    /// readings less than a millisecond apart taken together.
    public struct Transfer: Sendable, Hashable, Codable {
        /// When it was read, in seconds.
        public var times: [Double] = []
        /// The bytes read until then.
        public var totals: [Double] = []
    }

    /// How exact the emulation of a way was.
    public struct Emulation: Sendable, Hashable, Codable {
        /// One packet in a hundred left the link later than this many milliseconds.
        public var lateness: Double
        /// Packets lost for want of time or memory.
        public var unwantedDrops: UInt64
    }

    /// How many packets of the flow with this index in the plan were sent.
    public var sent: [Int: Int] = [:]
    /// How many packets per second of the last segment of a flow were in fact sent.
    public var offered: [Int: Double] = [:]
    /// The share of the time of the last segment of a flow in which the machine, having other
    /// things to do, did not let the sender send.
    public var heldUp: [Int: Double] = [:]
    /// By how many milliseconds the machine was late for each fourth packet of a flow, or more.
    public var lateness: [Int: Double] = [:]
    /// What the emulation of each way counted, where one was at work that tells.
    public var emulation: [Direction: Emulation] = [:]
    /// What arrived of the flow with this index in the plan.
    public var arrivals: [Int: Arrivals] = [:]
    /// What came over the transfer with this index in the plan.
    public var transfers: [Int: Transfer] = [:]
    /// The round trip of each handshake of the connections with this index in the plan.
    public var connects: [Int: [Duration]] = [:]
    /// Why a flow with this index in the plan could not be measured.
    public var obstacles: [Int: String] = [:]

    /// The reports of both programs as one.
    public func merged(with other: ProbeReport) -> ProbeReport {
        var merged = self
        merged.sent.merge(other.sent) { $0 + $1 }
        merged.offered.merge(other.offered) { first, _ in first }
        merged.heldUp.merge(other.heldUp) { first, _ in first }
        merged.lateness.merge(other.lateness) { first, _ in first }
        merged.arrivals.merge(other.arrivals) { first, _ in first }
        merged.transfers.merge(other.transfers) { first, _ in first }
        merged.connects.merge(other.connects) { $0 + $1 }
        merged.obstacles.merge(other.obstacles) { first, _ in first }
        return merged
    }
}

import LinkModel
import PacketLoop

/// A wire between the app and the far side in the hands of a data plane.
protocol ConditionedWire {
    /// Changes the conditions; what is on the wire stays on it.
    func change(to conditions: LinkConditions, profile: String, traces: LinkTraces) throws

    /// Says whether anybody is at the app's end: else what gets there is lost.
    func setConnected(_ isConnected: Bool)

    /// What has passed until now; nothing in a direction without conditions.
    var counters: LinkCounters { get throws }

    /// What only the packet engine counts; nil if it is not at work.
    var loop: LoopStatistics? { get }

    /// How many packets toward the network have come to the wire and not left it yet.
    var packetsUnderWay: UInt64 { get }

    /// Carries nothing any more, where that can be said.
    func stop()
}

import Evidence
import LinkModel
import LinuxKernel
import Netlink
import PacketLoop

/// A wire between the app and the far side in the hands of the packet engine.
struct EmulatedLink {
    private let loop: PacketLoop

    /// Carries packets from now on.
    init(
        _ wire: Wire, _ conditions: LinkConditions, traces: LinkTraces, seed: UInt64,
        clock: LoopClock, observer: (any PacketObserver)?
    ) throws(KernelError) {
        loop = try PacketLoop(
            appSide: wire.appEnd.index, farSide: wire.farEnd.index,
            conditions: conditions.withExplicitLoss, traces: traces, seed: seed, clock: clock,
            observer: observer)
        try loop.start()
    }

    /// What was counted until now.
    var statistics: LoopStatistics { loop.statistics }

    /// How many packets toward the network have come to the link and not left it yet.
    var packetsUnderWay: UInt64 { loop.packetsUnderWay }

    /// Changes the conditions; what is on the link stays on it.
    func change(to conditions: LinkConditions, traces: LinkTraces) {
        loop.change(to: conditions.withExplicitLoss, traces: traces)
    }

    /// Says whether anybody is at the app's end: else what gets there is lost.
    func setConnected(_ isConnected: Bool) { loop.setAppSideConnected(isConnected) }

    /// Carries nothing any more.
    func stop() { loop.stop() }
}

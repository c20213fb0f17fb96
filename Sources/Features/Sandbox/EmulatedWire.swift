import LinkModel
import LinuxKernel
import Middleboxes
import Netlink
import PacketLoop
import Recording

/// A wire conditioned by the packet engine.
struct EmulatedWire: ConditionedWire {
    private let packetLoop: PacketLoop
    private let leadsToIPv6: Bool

    /// Starts carrying packets.
    init(
        _ wire: Wire, _ conditions: LinkConditions, traces: LinkTraces, seed: UInt64,
        clock: LoopClock, tolerance: LatenessTolerance, observer: (any PacketObserver)?
    ) throws(KernelError) {
        leadsToIPv6 = wire.leadsToIPv6
        packetLoop = try PacketLoop(
            appSide: wire.appEnd.index, farSide: wire.farEnd.index,
            conditions: conditions.withExplicitLoss, traces: traces, seed: seed, clock: clock,
            tolerance: tolerance, observer: observer, place: wire.place)
        try packetLoop.start()
    }

    func change(to conditions: LinkConditions, profile: String, traces: LinkTraces) {
        packetLoop.change(to: conditions.withExplicitLoss, traces: traces)
    }

    func setConnected(_ isConnected: Bool) { packetLoop.setAppSideConnected(isConnected) }

    var counters: LinkCounters { packetLoop.statistics.counters }

    var loop: LoopStatistics? { packetLoop.statistics }

    func takeRebindings() -> [Rebinding] { packetLoop.takeRebindings() }

    var portalDoor: PortalDoor? {
        PortalDoor(
            isClosed: { [packetLoop] in packetLoop.isCaptive },
            click: { [packetLoop] in packetLoop.clickPortal() })
    }

    func takePortalEvents() -> [PortalEvent] { packetLoop.takePortalEvents() }

    var nameDoor: NameDoor? {
        NameDoor(
            server: { [packetLoop] in packetLoop.nameServer(askedBy: $0) },
            ignoresIPv6: !leadsToIPv6,
            answer: { [packetLoop] in packetLoop.answer(toQuestionFor: $0) },
            isSynthesizing: { [packetLoop] in packetLoop.synthesizesNames },
            countSynthesized: { [packetLoop] in packetLoop.countSynthesizedNames($0) })
    }

    var packetsUnderWay: UInt64 { packetLoop.packetsUnderWay }

    func stop() { packetLoop.stop() }
}

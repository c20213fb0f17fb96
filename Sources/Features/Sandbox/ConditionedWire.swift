import LinkModel
import Middleboxes
import PacketLoop

/// A wire between the app and the far side, conditioned by a data plane.
protocol ConditionedWire {
    /// Changes the conditions; packets on the wire stay there.
    func change(to conditions: LinkConditions, profile: String, traces: LinkTraces) throws

    /// Sets whether an interface is attached at the app's end: otherwise packets arriving there are
    /// lost.
    func setConnected(_ isConnected: Bool)

    /// The traffic so far; zero in a direction without conditions.
    var counters: LinkCounters { get throws }

    /// The counters that only the packet engine has; nil with the kernel data plane.
    var loop: LoopStatistics? { get }

    /// When NATs in the middle forgot their entries by intention, as far as nobody has asked before, by
    /// `KernelClock.monotonic`.
    func takeRebindings() -> [Rebinding]

    /// The captive portal in the middle; nil: there can be none.
    var portalDoor: PortalDoor? { get }

    /// The events of the captive portal in the middle, as far as nobody has asked before, by
    /// `KernelClock.monotonic`.
    func takePortalEvents() -> [PortalEvent]

    /// What answers questions for names in the middle; nil: nothing can.
    var nameDoor: NameDoor? { get }

    /// How many packets toward the network are on the wire.
    var packetsUnderWay: UInt64 { get }

    /// Stops carrying packets, if the data plane can.
    func stop()
}

extension ConditionedWire {
    /// Nothing stands in the middle.
    func takeRebindings() -> [Rebinding] { [] }
    var portalDoor: PortalDoor? { nil }
    var nameDoor: NameDoor? { nil }
    func takePortalEvents() -> [PortalEvent] { [] }
}

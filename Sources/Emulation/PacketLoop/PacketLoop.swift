public import LinkModel
public import LinkUnits
public import LinuxKernel
public import Middleboxes
import Synchronization
public import SystemPackage

/// Carries frames between two Ethernet interfaces through an emulated link in each direction, or
/// between the programs of one host that talk over its loopback.
///
/// Theory of operation. A thread for each direction sleeps until frames arrive, which a packet
/// socket (`PACKET_VNET_HDR`) delivers in batches with their arrival times, or until the emulation
/// schedules a departure. The emulation is never given a time before all frames that arrived by
/// then were received, so a late thread makes packets late but does not change their treatment.
/// Super-packets (GSO) and unfinished checksums cross unchanged. Where packets are treated
/// individually, a super-packet is on the link as separate packets that share its bytes; those that
/// leave together form one frame again. ARP, neighbour discovery and everything that is not IP pass
/// at once.
///
/// Requires `CAP_NET_RAW` over the network namespace, such as in a user namespace, and no device.
public final class PacketLoop: Sendable {
    /// The memory for the frames on the link, for each direction: 256 MiB, or less where the process may
    /// not have much.
    public static var standardMemory: ByteCount { PacketMemory.reserved }

    private let up: DirectionLoop
    private let down: DirectionLoop
    private let middle: LinkMiddle
    private let isLoopback: Bool
    private let clock: LoopClock

    /// Opens sockets in the calling thread's network namespace. From then on frames are kept for
    /// `start`, but none is passed on.
    ///
    /// - Parameters:
    ///   - appSide: the index of the interface on the app's side. It has to be up.
    ///   - farSide: the index of the interface on the network's side. It has to be up.
    ///   - conditions: the conditions of the link.
    ///   - traces: the delivery traces that the conditions name.
    ///   - seed: the seed of the random numbers: the same seed loses the same packets.
    ///   - clock: the clock of the times in records.
    ///   - memory: for each direction; packets beyond it are dropped and counted.
    ///   - tolerance: how late packets may be before they count as late.
    ///   - observer: is told what happened to each packet.
    ///   - place: the addresses on the two sides of what stands in the middle; nil: there is no NAT.
    public init(
        appSide: Int32, farSide: Int32, conditions: LinkConditions, traces: LinkTraces = .init(),
        seed: UInt64, clock: LoopClock = .startingNow(),
        memory: ByteCount = PacketLoop.standardMemory, tolerance: LatenessTolerance = .standard,
        observer: (any PacketObserver)? = nil, place: MiddleboxPlace? = nil
    ) throws(KernelError) {
        self.clock = clock
        middle = LinkMiddle(conditions.middle, at: place, seed: seed)
        isLoopback = false
        up = try DirectionLoop(
            .up, .wire(from: appSide, to: farSide), conditions, traces, seed: seed,
            memory: memory, clock: clock, tolerance: tolerance, observer: observer, middle: middle)
        let down = try DirectionLoop(
            .down, .wire(from: farSide, to: appSide), conditions, traces, seed: seed,
            memory: memory, clock: clock, tolerance: tolerance, observer: observer, middle: middle)
        self.down = down
        middle.setWaker { [weak down] in down?.wake() }
    }

    /// Emulates a link between the programs of one host: every packet that its loopback sends
    /// crosses the link, up to a server or down from one (see `LoopbackTraffic`), and then arrives
    /// on the loopback.
    ///
    /// The caller redirects what the loopback sends to `interface`, such as by filters on the
    /// loopback's egress and a veth pair between namespaces. What the loop sends to the loopback
    /// bypasses them.
    ///
    /// - Parameters:
    ///   - host: the network namespace of the loopback.
    ///   - interface: the index, in the calling thread's namespace, of the interface that receives
    ///     the frames. It has to be up.
    ///   - conditions: the conditions of the link.
    ///   - traces: the delivery traces that the conditions name.
    ///   - seed: the seed of the random numbers.
    ///   - clock: the clock of the times in records.
    ///   - memory: for each direction; packets beyond it are dropped and counted.
    ///   - tolerance: how late packets may be before they count as late.
    ///   - observer: is told what happened to each packet.
    public init(
        loopbackOf host: FileDescriptor, arrivingAt interface: Int32, conditions: LinkConditions,
        traces: LinkTraces = .init(), seed: UInt64, clock: LoopClock = .startingNow(),
        memory: ByteCount = PacketLoop.standardMemory, tolerance: LatenessTolerance = .standard,
        observer: (any PacketObserver)? = nil
    ) throws(KernelError) {
        let path = LoopPath.loopback(from: interface, of: host)
        // Nothing stands between the programs of one host.
        middle = LinkMiddle(nil)
        self.clock = clock
        isLoopback = true
        up = try DirectionLoop(
            .up, path, conditions, traces, seed: seed, memory: memory, clock: clock,
            tolerance: tolerance, observer: observer)
        down = try DirectionLoop(
            .down, path, conditions, traces, seed: seed, memory: memory, clock: clock,
            tolerance: tolerance, observer: observer)
    }

    deinit { stop() }

    /// Starts to carry frames.
    public func start() throws(KernelError) {
        try up.start()
        try down.start()
    }

    /// Changes the conditions of the link; packets on it are not lost.
    public func change(to conditions: LinkConditions, traces: LinkTraces = .init()) {
        if !isLoopback { middle.change(to: conditions.middle, at: clock.now) }
        up.change(to: conditions, traces)
        down.change(to: conditions, traces)
    }

    /// Sets whether anything is connected to the app's end of the link. While nothing is, packets
    /// that reach that end are discarded, as on an unplugged cable; otherwise the kernel's refusals
    /// would count as failures, and hold up later packets.
    public func setAppSideConnected(_ isConnected: Bool) {
        down.setConnected(isConnected)
    }

    /// The statistics so far.
    public var statistics: LoopStatistics {
        LoopStatistics(
            up: middle.complete(up.statistics, .up), down: middle.complete(down.statistics, .down))
    }

    /// When NATs in the middle forgot their entries by intention, as far as nobody has asked before, by
    /// `KernelClock.monotonic`.
    public func takeRebindings() -> [Rebinding] {
        middle.takeRebindings(at: clock.now).map { rebinding in
            var rebinding = rebinding
            rebinding.time += clock.monotonic
            return rebinding
        }
    }

    /// Whether a captive portal in the middle holds the app back.
    public var isCaptive: Bool { middle.isCaptive(at: clock.now) }

    /// Opens the captive portal in the middle, since somebody has clicked on its page.
    public func clickPortal() { middle.clickPortal(at: clock.now) }

    /// The events of the captive portal in the middle, as far as nobody has asked before, by
    /// `KernelClock.monotonic`.
    public func takePortalEvents() -> [PortalEvent] {
        middle.takePortalEvents(at: clock.now).map { event in
            var event = event
            event.time += clock.monotonic
            return event
        }
    }

    /// The name server that the app asked by a TCP connection that leads to the middle's own; nil:
    /// there is no such connection.
    ///
    /// - Parameter peer: the app's end as the middle's own server sees it.
    public func nameServer(askedBy peer: Endpoint) -> Endpoint? {
        middle.nameServer(askedBy: peer)
    }

    /// Whether names without an IPv6 address get one of the NAT64's.
    public var synthesizesNames: Bool { middle.synthesizesNames }

    /// What the middle answers to a question for a name by TCP, which it counts; nil: nothing.
    public func answer(toQuestionFor name: String) -> ResolverAnswer? {
        middle.answer(toQuestionFor: name, at: clock.now)
    }

    /// Counts names that got addresses of the NAT64 by TCP.
    public func countSynthesizedNames(_ count: Int) {
        middle.countAnswers(count, .synthesized, .down)
    }

    /// How many packets toward the network have arrived and not yet left the loop, including those
    /// that it has not read.
    public var packetsUnderWay: UInt64 { up.packetsUnderWay }

    /// Stops the loop and waits for its end. Packets on the link are lost.
    public func stop() {
        up.stop()
        down.stop()
    }
}

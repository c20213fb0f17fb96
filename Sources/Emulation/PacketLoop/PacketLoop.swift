public import LinkModel
public import LinkUnits
public import LinuxKernel
import Synchronization
public import SystemPackage

/// Carries frames between two Ethernet interfaces, through an emulated link in each direction; or
/// between the programs of one host that talk over its loopback.
///
/// Theory of operation. A thread for each direction sleeps until frames come, which a packet
/// socket (`PACKET_VNET_HDR`) hands over in batches with the time of their arrival, or until the
/// emulation says that one leaves; it is never told a time before all that came by then was
/// received, so that a late thread makes late packets and not other ones. Super-packets (GSO) and
/// unfinished checksums cross as they are. Where packets are treated singly, a super-packet is on
/// the link as so many packets that share its bytes; those of them that leave together are one
/// frame again. ARP, neighbour discovery and what is no IP pass at once.
///
/// It needs `CAP_NET_RAW` over the network namespace, such as in a user namespace, and no device.
public final class PacketLoop: Sendable {
    /// The memory for the frames on the link, for each direction, unless another is asked for.
    public static let defaultMemory = ByteCount(bytes: 256 << 20)

    private let up: DirectionLoop
    private let down: DirectionLoop

    /// Opens sockets in the calling thread's network namespace. From then on frames are kept for
    /// `start`, but none is passed on.
    ///
    /// - Parameters:
    ///   - appSide: the index of the interface to which the app sends. It has to be up.
    ///   - farSide: the index of the interface toward the network. It has to be up.
    ///   - conditions: what the link does.
    ///   - traces: the delivery traces that the conditions name.
    ///   - seed: where its random numbers begin: the same packets are lost for the same seed.
    ///   - clock: from when the times in records count.
    ///   - memory: for each direction; packets beyond it are dropped and counted.
    ///   - observer: gets to know what became of each packet.
    public init(
        appSide: Int32, farSide: Int32, conditions: LinkConditions, traces: LinkTraces = .init(),
        seed: UInt64, clock: LoopClock = .startingNow(),
        memory: ByteCount = PacketLoop.defaultMemory,
        observer: (any PacketObserver)? = nil
    ) throws(KernelError) {
        up = try DirectionLoop(
            .up, .wire(from: appSide, to: farSide), conditions, traces, seed: seed,
            memory: memory, clock: clock, observer: observer)
        down = try DirectionLoop(
            .down, .wire(from: farSide, to: appSide), conditions, traces, seed: seed,
            memory: memory, clock: clock, observer: observer)
    }

    /// Emulates a link between the programs of one host: every packet that its loopback sends goes
    /// over the link, up to a server or down from one (`LoopbackTraffic` says which), and then
    /// arrives on the loopback.
    ///
    /// The caller sees to it that what the loopback sends comes to `interface` instead, such as by
    /// filters on the loopback's egress and a wire between namespaces. What the loop sends to the
    /// loopback goes round them.
    ///
    /// - Parameters:
    ///   - host: the network namespace of the loopback.
    ///   - interface: the index, in the calling thread's namespace, of the interface to which the
    ///     frames come. It has to be up.
    ///   - conditions: what the link does.
    ///   - traces: the delivery traces that the conditions name.
    ///   - seed: where its random numbers begin.
    ///   - clock: from when the times in records count.
    ///   - memory: for each direction; packets beyond it are dropped and counted.
    ///   - observer: gets to know what became of each packet.
    public init(
        loopbackOf host: FileDescriptor, arrivingAt interface: Int32, conditions: LinkConditions,
        traces: LinkTraces = .init(), seed: UInt64, clock: LoopClock = .startingNow(),
        memory: ByteCount = PacketLoop.defaultMemory, observer: (any PacketObserver)? = nil
    ) throws(KernelError) {
        let path = LoopPath.loopback(from: interface, of: host)
        up = try DirectionLoop(
            .up, path, conditions, traces, seed: seed, memory: memory, clock: clock,
            observer: observer)
        down = try DirectionLoop(
            .down, path, conditions, traces, seed: seed, memory: memory, clock: clock,
            observer: observer)
    }

    deinit { stop() }

    /// Starts to carry frames.
    public func start() throws(KernelError) {
        try up.start()
        try down.start()
    }

    /// Changes the conditions of the link; what is on it is not lost.
    public func change(to conditions: LinkConditions, traces: LinkTraces = .init()) {
        up.change(to: conditions, traces)
        down.change(to: conditions, traces)
    }

    /// Says whether anybody is at the end of the link toward the app. While there is nobody, what
    /// gets there is gone, as on a wire that is not plugged in; else the kernel's refusal would
    /// count as a failure, and hold up what follows.
    public func setAppSideConnected(_ isConnected: Bool) {
        down.setConnected(isConnected)
    }

    /// What it has done so far.
    public var statistics: LoopStatistics {
        LoopStatistics(up: up.statistics, down: down.statistics)
    }

    /// How many packets toward the network have come to the loop and not left it yet, also those
    /// that it has not looked at.
    public var packetsUnderWay: UInt64 { up.packetsUnderWay }

    /// Ends the loop and waits until it has ended. What is on the link is lost.
    public func stop() {
        up.stop()
        down.stop()
    }
}

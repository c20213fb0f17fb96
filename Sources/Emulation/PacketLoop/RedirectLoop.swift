public import LinkModel
public import LinkUnits
public import LinuxKernel
import PacketEngine

/// Carries the frames of one direction of an interface through an emulated link and back, where
/// filters send them on a redirect.
///
/// As one direction of a `PacketLoop` in everything else. What filters take comes to an interface
/// of the caller's; what has passed the link leaves with a mark, by which the filters let it be.
public final class RedirectLoop: Sendable {
    private let loop: DirectionLoop

    /// What stands in front of the IP packets.
    public enum Framing: Sendable, Hashable {
        /// An Ethernet header.
        case ethernet
        /// Nothing, as with tunnels.
        case bare
        /// Nothing where they come from; where they go an Ethernet header, to `standInAddress`.
        case dressed
    }

    /// The address on the link layer for interfaces that have none themselves.
    public static let standInAddress: [UInt8] = [2, 0x6c, 0x63, 0, 0, 1]

    /// Opens sockets in the calling thread's network namespace. From then on frames are kept for
    /// `start`, but none is passed on.
    ///
    /// - Parameters:
    ///   - direction: which of the conditions count.
    ///   - source: the index of the interface to which the frames come. It has to be up.
    ///   - exit: where they go.
    ///   - framing: what stands in front of the IP packets of these frames.
    ///   - conditions: what the link does.
    ///   - traces: the delivery traces that the conditions name.
    ///   - seed: where its random numbers begin, as in a `PacketLoop`.
    ///   - memory: packets beyond it are dropped and counted.
    public init(
        _ direction: LinkDirection, from source: Int32, to exit: MarkedOutput,
        framing: Framing = .ethernet, conditions: LinkConditions, traces: LinkTraces, seed: UInt64,
        memory: ByteCount = PacketLoop.defaultMemory
    ) throws(KernelError) {
        loop = try DirectionLoop(
            direction, .redirect(from: source, to: exit, framing), conditions, traces, seed: seed,
            memory: memory, clock: .startingNow(), observer: nil)
    }

    /// Carries what the loopback of the calling thread's network namespace sends in one direction
    /// (`LoopbackTraffic` says which that is) through an emulated link and back to the loopback.
    ///
    /// The kernel sends it anew, as whole packets with finished checksums and an address that it
    /// finds by itself: so it arrives like what never left. A connection that begins meanwhile is
    /// told to make segments of Ethernet's size, or the queue, the loss and the rest of the
    /// conditions would be those of packets of 64 KiB.
    ///
    /// - Parameters:
    ///   - direction: which of the conditions count.
    ///   - source: the index of the interface to which the frames of both directions come. It has
    ///     to be up.
    ///   - mark: that of the packets when they leave, by which filters let them be.
    ///   - conditions: what the link does.
    ///   - traces: the delivery traces that the conditions name.
    ///   - seed: where its random numbers begin, as in a `PacketLoop`.
    ///   - memory: packets beyond it are dropped and counted.
    public init(
        _ direction: LinkDirection, ofLoopbackFrom source: Int32, mark: UInt32,
        conditions: LinkConditions, traces: LinkTraces, seed: UInt64,
        memory: ByteCount = PacketLoop.defaultMemory
    ) throws(KernelError) {
        loop = try DirectionLoop(
            direction, .loopbackRedirect(from: source, mark: mark), conditions, traces, seed: seed,
            memory: memory, clock: .startingNow(), observer: nil)
    }

    deinit { stop() }

    /// Says whether a loop of a loopback has what goes the other way pass at once. By default it
    /// leaves that alone, for another loop.
    public func setPassesOthers(_ passes: Bool) { loop.setPassesOthers(passes) }

    /// Starts to carry frames.
    public func start() throws(KernelError) { try loop.start() }

    /// Changes the conditions of the link; what is on it is not lost.
    public func change(to conditions: LinkConditions, traces: LinkTraces) {
        loop.change(to: conditions, traces)
    }

    /// What it has done so far.
    public var statistics: DirectionStatistics { loop.statistics }

    /// Ends the loop and waits until it has ended. What is on the link is lost.
    public func stop() { loop.stop() }
}

extension LinkEmulator {
    /// One direction of a link.
    init(
        _ direction: LinkDirection, _ conditions: LinkConditions, _ traces: LinkTraces,
        seed: UInt64
    ) {
        let conditions = conditions.withExplicitLoss
        self.init(
            direction.conditions(of: conditions), dnsDelay: direction.dnsDelay(conditions),
            trace: traces[direction],
            // Any other number will do, so that the directions do not lose in step.
            seed: direction == .up ? seed : ~seed)
    }
}

extension LinkDirection {
    /// Only questions are delayed, and they go up.
    func dnsDelay(_ conditions: LinkConditions) -> Duration? {
        self == .up ? conditions.dnsDelay : nil
    }
}

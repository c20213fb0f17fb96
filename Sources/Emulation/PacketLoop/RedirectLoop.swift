public import LinkModel
public import LinkUnits
public import LinuxKernel
import PacketEngine

/// Carries the frames of one direction of an interface through an emulated link and back, where
/// filters redirect them.
///
/// Otherwise like one direction of a `PacketLoop`. The filters redirect frames to an interface of
/// the caller's; frames that have passed the link leave with a mark that exempts them from the
/// filters.
public final class RedirectLoop: Sendable {
    private let loop: DirectionLoop

    /// The header in front of the IP packets.
    public enum Framing: Sendable, Hashable {
        /// An Ethernet header.
        case ethernet
        /// None, as with tunnels.
        case bare
        /// None at the source; at the destination an Ethernet header, to `standInAddress`.
        case dressed
    }

    /// The link-layer address for interfaces that have none themselves.
    public static let standInAddress: [UInt8] = [2, 0x6c, 0x63, 0, 0, 1]

    /// Opens sockets in the calling thread's network namespace. From then on frames are kept for
    /// `start`, but none is passed on.
    ///
    /// - Parameters:
    ///   - direction: the direction whose conditions apply.
    ///   - source: the index of the interface that receives the frames. It has to be up.
    ///   - exit: where they leave.
    ///   - framing: the header in front of the IP packets of these frames.
    ///   - conditions: the conditions of the link.
    ///   - traces: the delivery traces that the conditions name.
    ///   - seed: the seed of the random numbers, as in a `PacketLoop`.
    ///   - lease: until when the filters redirect frames.
    ///   - memory: packets beyond it are dropped and counted.
    public init(
        _ direction: LinkDirection, from source: Int32, to exit: MarkedOutput,
        framing: Framing = .ethernet, conditions: LinkConditions, traces: LinkTraces, seed: UInt64,
        lease: RedirectLease, memory: ByteCount = PacketLoop.standardMemory
    ) throws(KernelError) {
        loop = try DirectionLoop(
            direction, .redirect(from: source, to: exit, framing), conditions, traces, seed: seed,
            memory: memory, clock: .startingNow(), lease: lease, observer: nil)
    }

    /// Carries what the loopback of the calling thread's network namespace sends in one direction
    /// (see `LoopbackTraffic`) through an emulated link and back to the loopback.
    ///
    /// The kernel sends it again, as whole packets with finished checksums and a route that it
    /// looks up itself, so that it arrives as if it had never left. A new connection is limited to
    /// segments of Ethernet's size; otherwise the queue, the loss and the other conditions would
    /// apply to packets of 64 KiB.
    ///
    /// - Parameters:
    ///   - direction: the direction whose conditions apply.
    ///   - source: the index of the interface that receives the frames of both directions. It has
    ///     to be up.
    ///   - mark: the mark of departing packets, which exempts them from the filters.
    ///   - conditions: the conditions of the link.
    ///   - traces: the delivery traces that the conditions name.
    ///   - seed: the seed of the random numbers, as in a `PacketLoop`.
    ///   - lease: until when the filters redirect frames.
    ///   - memory: packets beyond it are dropped and counted.
    public init(
        _ direction: LinkDirection, ofLoopbackFrom source: Int32, mark: UInt32,
        conditions: LinkConditions, traces: LinkTraces, seed: UInt64,
        lease: RedirectLease, memory: ByteCount = PacketLoop.standardMemory
    ) throws(KernelError) {
        loop = try DirectionLoop(
            direction, .loopbackRedirect(from: source, mark: mark), conditions, traces, seed: seed,
            memory: memory, clock: .startingNow(), lease: lease, observer: nil)
    }

    deinit { stop() }

    /// Sets whether a loopback's loop passes on packets of the other direction at once. By default
    /// it ignores them, for another loop.
    public func setPassesOthers(_ passes: Bool) { loop.setPassesOthers(passes) }

    /// Starts to carry frames.
    public func start() throws(KernelError) { try loop.start() }

    /// Changes the conditions of the link; packets on it are not lost.
    public func change(to conditions: LinkConditions, traces: LinkTraces) {
        loop.change(to: conditions, traces)
    }

    /// The statistics so far.
    public var statistics: DirectionStatistics { loop.statistics }

    /// Stops the loop and waits for its end. Packets on the link are lost.
    public func stop() { loop.stop() }

    /// Stops loops, closes their sockets and forgets their statistics.
    ///
    /// At the end of each socket the kernel waits until no processor uses it any more, which for all
    /// of them at the same time takes as long as for one.
    public static func close(_ loops: [RedirectLoop]) {
        for loop in loops { loop.stop() }
        let threads = loops.map { loop in
            try? KernelThread(named: "link-close") { loop.loop.close() }
        }
        for (thread, loop) in zip(threads, loops) {
            thread?.join()
            loop.loop.close()
        }
    }
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
            // Any other number works; it keeps the directions from losing the same packets.
            seed: direction == .up ? seed : ~seed)
    }
}

extension LinkDirection {
    /// Only queries are delayed, and they go up.
    func dnsDelay(_ conditions: LinkConditions) -> Duration? {
        self == .up ? conditions.questionDelay : nil
    }
}

import LinkUnits
import LinuxKernel
import SystemPackage

/// Sends frames.
///
/// Adjacent packets of a super-packet that leave together leave as one frame, as they arrived. So do
/// TCP packets and UDP datagrams between two interfaces that could have been a super-packet.
struct Outbox: ~Copyable {
    /// A frame that waits to be passed to the kernel.
    private struct Entry {
        var frame: FrameStore.ID
        var references: Int
        /// In bytes.
        var length = 0
        /// The slot with its headers, if they differ from the original ones.
        var headers: FrameStore.ID?
        /// When it should leave; nil if its lateness is not measured.
        var due: Duration?

        /// Whether the other end's MTU limits its length; that of a super-packet has no limit.
        func isLimited(_ store: borrowing FrameStore) -> Bool {
            store.withFrame(headers ?? frame) { virtual, _ in
                virtual.segmentation == VirtualHeader.Segmentation.none
            }
        }
    }

    private struct Run {
        var frame: FrameStore.ID
        var segments: Range<Int>
        var due: Duration?
    }

    /// How long a frame is kept while the kernel has no room.
    private static let patience = Duration.milliseconds(20)
    /// When to try again.
    static let retryInterval = Duration.microseconds(100)

    /// Sends single packets that the kernel routes itself.
    private let local: LocalSender?
    /// Bypasses the qdisc, which is faster, but only for frames that the interface supports: it
    /// refuses a super-packet that the kernel would have to split for it.
    private let direct: PacketSender?
    /// Nil where filters besides the qdisc would redirect the frames back.
    private let general: PacketSender?
    private var isDirect = true
    private var batch = SendBatch()
    private var entries: [Entry] = []
    private var run: Run?
    private let joinsSegments: Bool
    private var train: SegmentTrain?
    /// How late frames may be.
    var latenessLimit = Duration.zero
    /// Since when the kernel has had no room.
    private var refusedSince: Duration?
    private var lengthLimit = LengthLimit()

    private init(
        local: consuming LocalSender? = nil, direct: consuming PacketSender? = nil,
        general: consuming PacketSender? = nil, joinsSegments: Bool = false
    ) {
        self.joinsSegments = joinsSegments
        self.local = local
        self.direct = direct
        self.general = general
        entries.reserveCapacity(SendBatch.capacity)
    }

    /// Makes an outbox that sends to an interface of the calling thread's network namespace.
    init(interface: Int32) throws(KernelError) {
        self.init(
            direct: try PacketSender(interface: interface, bypassesQdisc: true),
            general: try PacketSender(interface: interface, bypassesQdisc: false),
            joinsSegments: true)
    }

    /// Makes an outbox of marked frames, which the kernel treats like any others.
    init(_ exit: MarkedOutput) throws(KernelError) {
        self.init(
            direct: try PacketSender(
                interface: exit.interface, bypassesQdisc: exit.bypassesQdisc, mark: exit.mark))
    }

    /// Makes an outbox whose frames arrive on the loopback of a network namespace, which supports
    /// super-packets.
    init(loopbackOf host: FileDescriptor) throws(KernelError) {
        self.init(
            direct: try NetworkNamespace.visit(host) { () throws(KernelError) in
                try PacketSender(interface: Self.loopback, bypassesQdisc: true)
            })
    }

    /// Makes an outbox of marked packets that arrive on the loopback of the calling thread's
    /// network namespace, as if they had never left it.
    init(loopbackMark mark: UInt32) throws(KernelError) {
        self.init(local: try LocalSender(mark: mark))
    }

    /// Whether it accepts only IP packets with finished checksums, and no super-packets except TCP
    /// ones that may be sent as a single packet.
    var isLocal: Bool { local != nil }

    /// The index of the loopback in every namespace.
    private static let loopback: Int32 = 1

    /// Whether frames wait that the kernel refused.
    var isRefused: Bool { refusedSince != nil }

    /// How many packets wait to be passed to the kernel.
    var packetCount: Int {
        entries.reduce((run?.segments.count ?? 0) + (train?.count ?? 0)) { $0 + $1.references }
    }

    /// Whether another frame can be added.
    var hasRoom: Bool {
        batch.hasRoom
            && (run == nil && train == nil || batch.count + 1 < SendBatch.capacity)
    }

    /// Adds a frame unchanged. Takes over `references` of its references.
    mutating func add(
        _ frame: FrameStore.ID, due: Duration?, _ store: inout FrameStore,
        _ statistics: inout DirectionStatistics
    ) {
        if train?.join(frame, &store) == true { return }
        close(&store, &statistics)
        if joinsSegments {
            train = SegmentTrain(frame, due: due, store)
            if train != nil { return }
        }
        append(whole: frame, references: 1, due: due, &store)
    }

    /// Adds one packet of a super-packet, and takes over one reference to the frame.
    mutating func add(
        segment: Int, of frame: FrameStore.ID, due: Duration?, _ store: inout FrameStore,
        _ statistics: inout DirectionStatistics
    ) {
        let canJoin = !isLocal || store[frame].superFrame?.isTCP == true
        if canJoin, let run, run.frame == frame, run.segments.upperBound == segment {
            self.run?.segments = run.segments.lowerBound..<segment + 1
        } else {
            close(&store, &statistics)
            run = Run(frame: frame, segments: segment..<segment + 1, due: due)
        }
    }

    /// Ends what could still grow. At most one of the two is there.
    private mutating func close(
        _ store: inout FrameStore, _ statistics: inout DirectionStatistics
    ) {
        closeRun(&store, &statistics)
        guard let train = train.take() else { return }
        train.finish(&store)
        append(whole: train.frame, references: train.count, due: train.due, &store)
    }

    private mutating func closeRun(
        _ store: inout FrameStore, _ statistics: inout DirectionStatistics
    ) {
        guard let run = run.take(), let superFrame = store[run.frame].superFrame else { return }
        let references = run.segments.count
        let range = store[run.frame].range
        // A local sender finishes headers in place, but copies of the packets may still need them.
        guard
            isLocal || run.segments != 0..<superFrame.count || store.changesFamily(run.frame)
        else {
            append(whole: run.frame, references: references, due: run.due, &store)
            return
        }
        guard let headers = store.headers(of: run.segments, of: run.frame, superFrame) else {
            statistics.memoryDrops += UInt64(references)
            store.release(run.frame, count: references)
            return
        }
        let payload = superFrame.payload(of: run.segments)
        let start = range.lowerBound + VirtualHeader.count
        append(
            Entry(frame: run.frame, references: references, headers: headers, due: run.due),
            rest: start + payload.lowerBound..<start + payload.upperBound,
            network: superFrame.network, &store)
    }

    private mutating func append(
        whole frame: FrameStore.ID, references: Int, due: Duration?, _ store: inout FrameStore
    ) {
        append(
            Entry(frame: frame, references: references, due: due), rest: 0..<0,
            network: store[frame].network, &store)
    }

    private mutating func append(
        _ entry: Entry, rest: Range<Int>, network: Int, _ store: inout FrameStore
    ) {
        let first = entry.headers ?? entry.frame
        store.writeChange(to: first, network: network)
        // The change may have moved its start.
        var head = store[first].range
        if isLocal {
            store.finishPacket(head: head, rest: rest)
            // From the IP header on.
            head = head.dropFirst(VirtualHeader.count + network)
        }
        var entry = entry
        entry.length = head.count + rest.count
        entries.append(entry)
        batch.append(from: store.memory, head: head, rest: rest)
    }

    /// Passes as many frames to the kernel as it accepts.
    mutating func flush(
        _ clock: LoopClock, _ store: inout FrameStore, _ statistics: inout DirectionStatistics
    ) {
        close(&store, &statistics)
        while !batch.isEmpty {
            do {
                let sent = try send()
                refusedSince = nil
                let now = clock.now
                for entry in entries[..<sent] {
                    if lengthLimit.isWatching, entry.isLimited(store) {
                        statistics.undeliverable += lengthLimit.pass(entry.length)
                    }
                    if let due = entry.due {
                        statistics.record(
                            lateness: now - due, packets: entry.references,
                            limit: latenessLimit, at: now)
                        statistics.recentTimes.add(now - store[entry.frame].arrival, at: now)
                    }
                }
                finish(sent, &store)
            } catch {
                // The caller tries again later.
                guard !isTemporary(error, clock, store) else { return }
                refuse(entries[0], error, store, &statistics)
                batch.removeFirst(1)
                finish(1, &store)
            }
        }
        refusedSince = nil
    }

    private mutating func send() throws(Errno) -> Int {
        if isLocal { return try local?.send(&batch) ?? 0 }
        if isDirect, direct != nil {
            do {
                return try direct?.send(&batch) ?? 0
            } catch {
                guard error == .noBufferSpace, general != nil else { throw error }
            }
        }
        let sent = try general?.send(&batch) ?? 0
        // If that is refused, too, there is no room, or nobody: the frame needs no splitting.
        isDirect = false
        return sent
    }

    /// Counts a frame that the kernel did not take.
    private mutating func refuse(
        _ entry: Entry, _ error: Errno, _ store: borrowing FrameStore,
        _ statistics: inout DirectionStatistics
    ) {
        let packets = UInt64(entry.references)
        statistics.sendFailures += packets
        switch error {
        case .wouldBlock, .noBufferSpace:
            guard entry.isLimited(store) else { return }
            if lengthLimit.forbids(entry.length) {
                statistics.undeliverable += packets
            } else {
                lengthLimit.refuse(entry.length, packets: packets)
            }
        case .networkDown, .noSuchAddressOrDevice: statistics.undeliverable += packets
        default: statistics.refused += packets
        }
    }

    /// Whether the kernel may soon accept the first frame.
    private mutating func isTemporary(
        _ error: Errno, _ clock: LoopClock, _ store: borrowing FrameStore
    ) -> Bool {
        switch error {
        case .interrupted: return true
        case .wouldBlock, .noBufferSpace:
            if lengthLimit.forbids(entries[0].length), entries[0].isLimited(store) { return false }
            let now = clock.now
            guard let since = refusedSince else {
                refusedSince = now
                return true
            }
            return now - since < Self.patience
        default: return false
        }
    }

    private mutating func finish(_ count: Int, _ store: inout FrameStore) {
        for entry in entries[..<count] {
            store.release(entry.frame, count: entry.references)
            if let headers = entry.headers { store.release(headers) }
        }
        entries.removeFirst(count)
    }
}

import LinkUnits
import LinuxKernel
import SystemPackage

/// Where frames leave.
///
/// Neighbouring packets of a super-packet that leave together leave as one frame, as they came.
struct Outbox: ~Copyable {
    /// A frame that waits for the kernel to take it.
    private struct Entry {
        var frame: FrameStore.ID
        var references: Int
        /// The slot with its headers, if they are not those that it came with.
        var headers: FrameStore.ID?
        /// When it should leave; nil if that is not measured.
        var due: Duration?
    }

    private struct Run {
        var frame: FrameStore.ID
        var segments: Range<Int>
        var due: Duration?
    }

    /// How long a frame is kept that the kernel has no room for.
    private static let patience = Duration.milliseconds(20)
    /// When to try again.
    static let retryInterval = Duration.microseconds(100)

    /// Where the kernel looks for the way of single packets by itself.
    private let local: LocalSender?
    /// Round the queueing discipline, which is faster, but only for what the interface can do by
    /// itself: it refuses a super-packet that the kernel would have to cut for it.
    private let direct: PacketSender?
    /// Nil where filters beside the queueing discipline would send the frames back.
    private let general: PacketSender?
    private var isDirect = true
    private var batch = SendBatch()
    private var entries: [Entry] = []
    private var run: Run?
    /// How late frames may be.
    var tolerance = LatenessTolerance(delay: .zero)
    /// Since when the kernel has had no room.
    private var refusedSince: Duration?

    /// Makes an outbox that sends to an interface of the calling thread's network namespace.
    init(interface: Int32) throws(KernelError) {
        let direct = try PacketSender(interface: interface, bypassesQdisc: true)
        general = try PacketSender(interface: interface, bypassesQdisc: false)
        self.direct = consume direct
        local = nil
        entries.reserveCapacity(SendBatch.capacity)
    }

    /// Makes an outbox of marked frames, with which the kernel deals as with any others.
    init(_ exit: MarkedOutput) throws(KernelError) {
        direct = try PacketSender(
            interface: exit.interface, bypassesQdisc: exit.bypassesQdisc, mark: exit.mark)
        general = nil
        local = nil
        entries.reserveCapacity(SendBatch.capacity)
    }

    /// Makes an outbox that has frames arrive on the loopback of a network namespace, which can do
    /// with super-packets.
    init(loopbackOf host: FileDescriptor) throws(KernelError) {
        direct = try NetworkNamespace.visit(host) { () throws(KernelError) in
            try PacketSender(interface: Self.loopback, bypassesQdisc: true)
        }
        general = nil
        local = nil
        entries.reserveCapacity(SendBatch.capacity)
    }

    /// Makes an outbox of marked packets that arrive on the loopback of the calling thread's
    /// network namespace, as if they had never left it.
    init(loopbackMark mark: UInt32) throws(KernelError) {
        local = try LocalSender(mark: mark)
        direct = nil
        general = nil
        entries.reserveCapacity(SendBatch.capacity)
    }

    /// Whether the kernel takes nothing but IP packets with finished checksums: no super-packets
    /// but those that TCP may send as a single one.
    var isLocal: Bool { local != nil }

    /// The index of the loopback in every namespace.
    private static let loopback: Int32 = 1

    /// Whether frames wait that the kernel did not take.
    var isRefused: Bool { refusedSince != nil }

    /// How many packets wait for the kernel to take them.
    var packetCount: Int { entries.reduce(run?.segments.count ?? 0) { $0 + $1.references } }

    /// Whether another frame can be added.
    var hasRoom: Bool { batch.hasRoom && (run == nil || batch.count + 1 < SendBatch.capacity) }

    /// Adds a frame as it is. It takes over `references` of those that the frame has.
    mutating func add(
        _ frame: FrameStore.ID, due: Duration?, _ store: inout FrameStore,
        _ statistics: inout DirectionStatistics
    ) {
        closeRun(&store, &statistics)
        append(
            Entry(frame: frame, references: 1, due: due), head: store[frame].range, rest: 0..<0,
            network: store[frame].network, &store)
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
            closeRun(&store, &statistics)
            run = Run(frame: frame, segments: segment..<segment + 1, due: due)
        }
    }

    private mutating func closeRun(
        _ store: inout FrameStore, _ statistics: inout DirectionStatistics
    ) {
        guard let run = run.take(), let superFrame = store[run.frame].superFrame else { return }
        let references = run.segments.count
        let range = store[run.frame].range
        // What is finished for good is not left for copies of its packets to be made of.
        guard isLocal || run.segments != 0..<superFrame.count else {
            append(
                Entry(frame: run.frame, references: references, due: run.due), head: range,
                rest: 0..<0, network: superFrame.network, &store)
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
            head: store[headers].range,
            rest: start + payload.lowerBound..<start + payload.upperBound,
            network: superFrame.network, &store)
    }

    private mutating func append(
        _ entry: Entry, head: Range<Int>, rest: Range<Int>, network: Int, _ store: inout FrameStore
    ) {
        var head = head
        if isLocal {
            store.finishPacket(head: head, rest: rest)
            // From the IP header on.
            head = head.dropFirst(VirtualHeader.count + network)
        }
        entries.append(entry)
        batch.append(from: store.memory, head: head, rest: rest)
    }

    /// Hands to the kernel what it takes.
    mutating func flush(
        _ clock: LoopClock, _ store: inout FrameStore, _ statistics: inout DirectionStatistics
    ) {
        closeRun(&store, &statistics)
        while !batch.isEmpty {
            do {
                let sent = try send()
                refusedSince = nil
                let now = clock.now
                for entry in entries[..<sent] {
                    if let due = entry.due {
                        statistics.record(
                            lateness: now - due, packets: entry.references, tolerance: tolerance)
                    }
                }
                finish(sent, &store)
            } catch {
                // The caller comes again.
                guard !isTemporary(error, clock) else { return }
                statistics.sendFailures += UInt64(entries[0].references)
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
                isDirect = false
            }
        }
        return try general?.send(&batch) ?? 0
    }

    /// Whether the kernel may take the first frame soon.
    private mutating func isTemporary(_ error: Errno, _ clock: LoopClock) -> Bool {
        switch error {
        case .interrupted: return true
        case .wouldBlock, .noBufferSpace:
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

import LinkModel
import LinuxKernel
import PacketLoop
import Synchronization

/// Packets waiting to be written, in preallocated memory.
struct PacketBatch: ~Copyable {
    private struct Entry {
        var record: PacketRecord
        var range: Range<Int>
    }

    /// The most packets in a batch.
    static let capacity = 65_536

    private var memory: FrameMemory
    private var entries: [Entry] = []
    private var used = 0

    init(bytes: Int) throws(KernelError) {
        memory = try FrameMemory(reserving: bytes)
        entries.reserveCapacity(Self.capacity)
    }

    var count: Int { entries.count }

    /// Whether it should be emptied soon.
    var isHalfFull: Bool { used > memory.count / 2 || count > Self.capacity / 2 }

    /// Appends a packet with the first `limit` bytes of its frame; false if it does not fit.
    mutating func append(_ record: PacketRecord, frame: Span<UInt8>, limit: Int) -> Bool {
        let frame = frame.extracting(first: min(frame.count, limit))
        guard count < Self.capacity, used + frame.count <= memory.count else { return false }
        memory.copy(frame, to: used)
        entries.append(Entry(record: record, range: used..<used + frame.count))
        used += frame.count
        return true
    }

    func record(_ index: Int) -> PacketRecord { entries[index].record }

    /// Calls `body` with the stored part of a packet's frame.
    func withFrame(_ index: Int, _ body: (Span<UInt8>) -> Void) {
        memory.withBytes(in: entries[index].range, body)
    }

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        used = 0
    }
}

/// A queue to which two threads append packets without blocking and from which a third takes them.
///
/// While one batch is written, the other is filled. Packets that do not fit are counted.
final class RecordQueue: Sendable {
    private struct State: ~Copyable {
        var batch: PacketBatch
        var missing: PacketCounts
        var total: UInt64 = 0
    }

    private let filling: Mutex<State>
    private let emptying: Mutex<PacketBatch>
    private let limit: Int

    /// - Parameters:
    ///   - bytes: The memory of a batch.
    ///   - limit: How many bytes of a frame are kept.
    ///   - links: The number of links.
    init(bytes: Int, limit: Int, links: Int = 1) throws(KernelError) {
        let first = try PacketBatch(bytes: bytes)
        let second = try PacketBatch(bytes: bytes)
        filling = Mutex(State(batch: first, missing: PacketCounts(links: links)))
        emptying = Mutex(second)
        self.limit = limit
    }

    /// Appends a packet.
    func append(_ record: PacketRecord, frame: Span<UInt8>) {
        filling.withLock { state in
            state.total += 1
            if !state.batch.append(record, frame: frame, limit: limit) {
                state.missing[record.link, record.direction] += 1
            }
        }
    }

    /// Calls `body` with all waiting packets, while others are appended elsewhere.
    func takeAll<Result>(_ body: (borrowing PacketBatch) -> Result) -> Result {
        emptying.withLock { batch in
            batch.removeAll()
            filling.withLock { swap(&$0.batch, &batch) }
            return body(batch)
        }
    }

    /// The number of packets so far, including those that did not fit.
    var total: UInt64 { filling.withLock { $0.total } }

    /// The number of packets so far that did not fit.
    var missing: PacketCounts { filling.withLock { $0.missing } }
}

/// A number for each direction of each link.
struct PacketCounts: Sendable, Hashable {
    private var counts: [UInt64]

    init(links: Int = 1) {
        counts = Array(repeating: 0, count: 2 * links)
    }

    var total: UInt64 { counts.reduce(0, +) }

    mutating func add(_ other: PacketCounts) {
        for index in counts.indices { counts[index] += other.counts[index] }
    }

    subscript(link: Int, direction: LinkDirection) -> UInt64 {
        get { counts[2 * link + (direction == .up ? 0 : 1)] }
        set { counts[2 * link + (direction == .up ? 0 : 1)] = newValue }
    }
}

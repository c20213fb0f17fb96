import LinkModel
import LinuxKernel
import PacketLoop
import Synchronization

/// Packets that wait to be written down, in memory that is taken once.
struct PacketBatch: ~Copyable {
    private struct Entry {
        var record: PacketRecord
        var range: Range<Int>
    }

    /// More packets than this do not wait.
    static let capacity = 65_536

    private var memory: FrameMemory
    private var entries: [Entry] = []
    private var used = 0

    init(bytes: Int) throws(KernelError) {
        memory = try FrameMemory(reserving: bytes)
        entries.reserveCapacity(Self.capacity)
    }

    var count: Int { entries.count }

    /// Whether somebody should take it away soon.
    var isHalfFull: Bool { used > memory.count / 2 || count > Self.capacity / 2 }

    /// Adds a packet with the first `limit` bytes of its frame; false if there is no room.
    mutating func append(_ record: PacketRecord, frame: Span<UInt8>, limit: Int) -> Bool {
        let frame = frame.extracting(first: min(frame.count, limit))
        guard count < Self.capacity, used + frame.count <= memory.count else { return false }
        memory.copy(frame, to: used)
        entries.append(Entry(record: record, range: used..<used + frame.count))
        used += frame.count
        return true
    }

    func record(_ index: Int) -> PacketRecord { entries[index].record }

    /// Calls `body` with what was kept of a packet's frame.
    func withFrame(_ index: Int, _ body: (Span<UInt8>) -> Void) {
        memory.withBytes(in: entries[index].range, body)
    }

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        used = 0
    }
}

/// What two threads add packets to without waiting and a third takes them from.
///
/// While one batch is written the other is filled. What finds no room is counted.
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
    ///   - bytes: the memory of a batch.
    ///   - limit: how many bytes of a frame are kept.
    ///   - links: on how many links packets are.
    init(bytes: Int, limit: Int, links: Int = 1) throws(KernelError) {
        let first = try PacketBatch(bytes: bytes)
        let second = try PacketBatch(bytes: bytes)
        filling = Mutex(State(batch: first, missing: PacketCounts(links: links)))
        emptying = Mutex(second)
        self.limit = limit
    }

    /// Adds a packet.
    func append(_ record: PacketRecord, frame: Span<UInt8>) {
        filling.withLock { state in
            state.total += 1
            if !state.batch.append(record, frame: frame, limit: limit) {
                state.missing[record.link, record.direction] += 1
            }
        }
    }

    /// Calls `body` with all that waits, while more is added elsewhere.
    func takeAll<Result>(_ body: (borrowing PacketBatch) -> Result) -> Result {
        emptying.withLock { batch in
            batch.removeAll()
            filling.withLock { swap(&$0.batch, &batch) }
            return body(batch)
        }
    }

    /// How many were added, or found no room, until now.
    var total: UInt64 { filling.withLock { $0.total } }

    /// How many found no room until now.
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

import LinuxKernel
import SystemPackage

/// Receives frames.
///
/// A frame is received into a small slot, and its rest into a large one. Most frames can stay where
/// they were received, and none takes a slot larger than it needs.
struct Inbox: ~Copyable {
    /// The result of taking a frame.
    enum Arrival {
        case frame(FrameStore.ID, at: Duration?)
        case unreadable
        case memoryFull
    }

    private var receiver: PacketReceiver
    private var batch = ReceiveBatch()
    private var heads: [FrameStore.ID] = []
    private var tails: [FrameStore.ID] = []

    init(_ receiver: consuming PacketReceiver, store: inout FrameStore) {
        self.receiver = receiver
        for index in 0..<ReceiveBatch.capacity {
            guard let head = store.take(.small), let tail = store.take(.large) else {
                preconditionFailure("an empty store has room for one batch")
            }
            heads.append(head)
            tails.append(tail)
            place(index, store)
        }
    }

    /// Receives frames without blocking and returns their number.
    mutating func receive(isExpectant: Bool) throws(Errno) -> Int {
        try receiver.receive(into: &batch, isExpectant: isExpectant)
    }

    /// Whether a frame waits to be received.
    func hasFrames() -> Bool { receiver.hasFrames() }

    /// Frames dropped since the last call.
    func takeDrops() -> Int { receiver.takeDrops() }

    /// Takes a received frame into the store, with one reference.
    mutating func take(_ index: Int, to store: inout FrameStore) -> Arrival {
        let received = batch[index]
        guard !received.isTruncated, received.count >= VirtualHeader.count else {
            return .unreadable
        }
        guard let id = keep(received.count, index, &store) else { return .memoryFull }
        store.setCount(received.count, of: id)
        if let tag = received.tag {
            store.insert(etherType: tag.etherType, control: tag.control, into: id)
        }
        return .frame(id, at: received.arrival)
    }

    private mutating func keep(
        _ count: Int, _ index: Int, _ store: inout FrameStore
    ) -> FrameStore.ID? {
        let head = store.room(of: heads[index])
        if count <= head.count {
            guard let next = store.take(.small) else { return nil }
            defer { heads[index] = next; place(index, store) }
            return heads[index]
        }
        let tail = store.room(of: tails[index])
        guard count > FrameStore.mediumRoom else {
            guard let id = store.take(.medium) else { return nil }
            let room = store.room(of: id)
            store.memory.copy(head, to: room.lowerBound)
            store.memory.copy(
                tail.lowerBound + head.count..<tail.lowerBound + count,
                to: room.lowerBound + head.count)
            return id
        }
        guard let next = store.take(.large) else { return nil }
        store.memory.copy(head, to: tail.lowerBound)
        defer { tails[index] = next; place(index, store) }
        return tails[index]
    }

    private mutating func place(_ index: Int, _ store: borrowing FrameStore) {
        let head = store.room(of: heads[index])
        let tail = store.room(of: tails[index])
        batch.place(
            index, in: store.memory, head: head,
            rest: tail.lowerBound + head.count..<tail.upperBound)
    }
}

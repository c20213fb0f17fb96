/// Sorts what happens on the link by time, although a capture has each packet only once, when it
/// left the link.
///
/// A packet that a capture has not shown yet entered the link at most as long ago as packets take.
struct EventQueue {
    enum Event {
        case sent(Transit), delivered(Transit)
    }

    private struct Entry {
        var time: Duration
        var order: UInt64
        var event: Event

        static func < (left: Entry, right: Entry) -> Bool {
            (left.time, left.order) < (right.time, right.order)
        }
    }

    /// How many events are kept at most; beyond that the earliest is taken as due.
    private static let capacity = 1 << 16
    private static let leastPatience = Duration.milliseconds(250)

    private var heap: [Entry] = []
    private var count: UInt64 = 0
    /// The latest time of departure in the capture.
    private var latest: Duration?
    private var patience = leastPatience

    var isEmpty: Bool { heap.isEmpty }

    mutating func add(_ transit: Transit) {
        let packet = transit.packet
        let passage = packet.fate.passage
        let end = packet.sent + passage
        patience = max(patience, passage + passage / 4)
        latest = max(latest ?? end, end)
        // Deliveries come first: what is sent at the same time may be the answer. But no packet
        // arrives before it is sent.
        let place = packet.linkNumber.map { $0 & UInt64(UInt32.max) } ?? count
        let sending = 2 * place + 1 | 1 << 63
        if let delivered = packet.delivered {
            let order = delivered > packet.sent ? 2 * place : sending + 1
            push(Entry(time: delivered, order: order, event: .delivered(transit)))
        }
        push(Entry(time: packet.sent, order: sending, event: .sent(transit)))
        count += 1
    }

    /// The next event before which no other can come, or at the end simply the next.
    mutating func next(isEnd: Bool = false) -> (event: Event, time: Duration)? {
        guard let first = heap.first else { return nil }
        let isDue = isEnd || heap.count > Self.capacity || first.time + patience <= latest ?? .zero
        guard isDue else { return nil }
        return pop().map { ($0.event, $0.time) }
    }

    private mutating func push(_ entry: Entry) {
        heap.append(entry)
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index] < heap[parent] else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func pop() -> Entry? {
        guard let last = heap.popLast() else { return nil }
        guard let first = heap.first else { return last }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            guard least != index else { return first }
            heap.swapAt(index, least)
            index = least
        }
    }
}

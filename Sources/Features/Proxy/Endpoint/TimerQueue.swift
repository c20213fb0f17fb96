/// What is to be done at times of one loop.
struct TimerQueue {
    /// Names something that is to be done.
    typealias Token = UInt64

    /// A binary heap, the earliest first; those that were cancelled stay until their time.
    private var heap: [(time: Duration, token: Token)] = []
    private var actions: [Token: (Duration) -> Void] = [:]
    private var lastToken: Token = 0

    /// The earliest time; nil without any.
    var next: Duration? { heap.first?.time }

    /// Does something at a time.
    mutating func add(at time: Duration, _ action: @escaping (Duration) -> Void) -> Token {
        lastToken += 1
        actions[lastToken] = action
        heap.append((time, lastToken))
        var child = heap.count - 1
        while child > 0, heap[child].time < heap[(child - 1) / 2].time {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
        return lastToken
    }

    /// Does not do it after all.
    mutating func cancel(_ token: Token) { actions[token] = nil }

    /// What is due by now, and its time has come first; nil: nothing.
    mutating func takeDue(at now: Duration) -> ((Duration) -> Void)? {
        while let first = heap.first, first.time <= now || actions[first.token] == nil {
            removeFirst()
            if let action = actions.removeValue(forKey: first.token) { return action }
        }
        return nil
    }

    private mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        var parent = 0
        while true {
            let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < heap.count }
            guard let least = children.min(by: { heap[$0].time < heap[$1].time }),
                heap[least].time < heap[parent].time
            else { return }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}

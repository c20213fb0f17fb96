/// A table of limited size that knows which of its entries has not been used for longest.
///
/// Every operation takes the same time, however many entries there are.
struct RecencyTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var key: Key
        var value: Value
        var time: Duration
        /// The entry used before it, and the one used after it; -1: none.
        var older: Int
        var newer: Int
    }

    /// The most entries.
    let capacity: Int
    private var entries: [Entry] = []
    private var places: [Key: Int] = [:]
    private var free: [Int] = []
    private var first = -1
    private var last = -1

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The number of entries.
    var count: Int { places.count }

    /// Whether it has no room for another entry.
    var isFull: Bool { count >= capacity }

    /// The entry that has not been used for longest, and when it last was.
    var oldest: (key: Key, value: Value, time: Duration)? {
        guard first >= 0 else { return nil }
        let entry = entries[first]
        return (entry.key, entry.value, entry.time)
    }

    /// The value of an entry.
    subscript(key: Key) -> Value? { places[key].map { entries[$0].value } }

    /// When an entry was last used.
    func time(of key: Key) -> Duration? { places[key].map { entries[$0].time } }

    /// Adds an entry, or replaces one. There has to be room.
    mutating func set(_ value: Value, for key: Key, at time: Duration) {
        if let place = places[key] {
            entries[place].value = value
            touch(key, at: time)
            return
        }
        let entry = Entry(key: key, value: value, time: time, older: last, newer: -1)
        let place: Int
        if let vacant = free.popLast() {
            place = vacant
            entries[place] = entry
        } else {
            place = entries.count
            entries.append(entry)
        }
        places[key] = place
        append(place)
    }

    /// Notes that an entry is used.
    mutating func touch(_ key: Key, at time: Duration) {
        guard let place = places[key] else { return }
        entries[place].time = time
        guard place != last else { return }
        unlink(place)
        append(place)
    }

    /// Removes an entry.
    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        unlink(place)
        free.append(place)
        return entries[place].value
    }

    private mutating func append(_ place: Int) {
        entries[place].older = last
        entries[place].newer = -1
        if last >= 0 { entries[last].newer = place } else { first = place }
        last = place
    }

    private mutating func unlink(_ place: Int) {
        let (older, newer) = (entries[place].older, entries[place].newer)
        if older >= 0 { entries[older].newer = newer } else { first = newer }
        if newer >= 0 { entries[newer].older = older } else { last = older }
    }
}

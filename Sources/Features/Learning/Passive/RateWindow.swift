import LinkUnits

/// The rates at which bytes passed, over stretches of time with enough packets to measure one.
struct RateWindow {
    /// In bits per second.
    private(set) var most = 0.0
    /// How many stretches had a rate, by its logarithm in steps of a fiftieth.
    private var histogram: [Int: Int] = [:]
    private var packets: [(time: Double, bytes: Double)] = []
    private var first = 0
    private var sum = 0.0
    private var nextStretch = -Double.infinity

    private let length: Double
    private let leastPackets: Int
    /// No more packets are kept than that.
    private static let room = 65_536

    /// - Parameter length: Of a stretch in milliseconds.
    init(length: Double, leastPackets: Int) {
        (self.length, self.leastPackets) = (length, leastPackets)
    }

    /// Adds bytes at a time in milliseconds.
    mutating func add(_ bytes: Double, at time: Double) {
        if let last = packets.last, time < last.time || packets.count >= Self.room { restart() }
        packets.append((time, bytes))
        sum += bytes
        while first < packets.count - 1, time - packets[first].time > length {
            sum -= packets[first].bytes
            first += 1
        }
        if first > 4096, first > packets.count / 2 {
            packets.removeFirst(first)
            first = 0
        }
        let span = time - packets[first].time
        guard packets.count - first >= leastPackets, span > length / 2 else { return }
        // The first packet of a stretch took its time before it.
        let rate = (sum - packets[first].bytes) * 8000 / span
        most = max(most, rate)
        guard time >= nextStretch, rate > 0 else { return }
        nextStretch = time + length
        histogram[Self.bin(rate), default: 0] += 1
    }

    /// Time went backwards.
    private mutating func restart() {
        packets = []
        (first, sum, nextStretch) = (0, 0, -.infinity)
    }

    /// How many stretches were at the highest rate, within a twentieth, and how many there were.
    var plateau: (atMost: Int, all: Int) {
        let top = Self.bin(most)
        let near = histogram.filter { $0.key >= top - 2 }.reduce(0) { $0 + $1.value }
        return (near, histogram.reduce(0) { $0 + $1.value })
    }

    private static func bin(_ rate: Double) -> Int {
        // Steps of two per cent.
        var (value, bin) = (max(1, rate), 0)
        while value >= 1024 { (value, bin) = (value / 1024, bin + 350) }
        while value >= 1.02 { (value, bin) = (value / 1.02, bin + 1) }
        return bin
    }
}

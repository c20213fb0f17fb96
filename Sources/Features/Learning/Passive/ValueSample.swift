import LinkModel

/// A sample of values without end in bounded memory: each has the same chance to be kept
/// (Vitter 1985, algorithm R).
struct ValueSample {
    private(set) var values: [Double] = []
    private(set) var count = 0
    private(set) var least: Double?
    private var random = RandomStream(seed: 1, for: .trace)

    private static let room = 20_000

    mutating func add(_ value: Double) {
        count += 1
        least = min(least ?? value, value)
        guard values.count == Self.room else { return values.append(value) }
        let place = Int(random.unit() * Double(count))
        if place < Self.room { values[place] = value }
    }
}

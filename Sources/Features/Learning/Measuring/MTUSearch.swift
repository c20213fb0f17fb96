/// Finds the largest packet that passes: many sizes at once, then those between the largest that
/// arrived and the smallest that did not.
struct MTUSearch {
    private(set) var passing: Int
    private(set) var failing: Int

    private static let sizes = 16
    static let copies = 3

    init(passing: Int, failing: Int) {
        (self.passing, self.failing) = (passing, failing)
    }

    var isDone: Bool { failing - passing <= 1 }

    /// The sizes to try next.
    var next: [Int] {
        let step = Double(failing - passing) / Double(Self.sizes + 1)
        let sizes = (1...Self.sizes).map { passing + Int((step * Double($0)).rounded()) }
        return Set(sizes.filter { $0 > passing && $0 < failing }).sorted()
    }

    mutating func take(_ arrived: [Int: Bool]) {
        passing = arrived.filter { $0.value }.keys.max().map { max($0, passing) } ?? passing
        failing =
            arrived.filter { !$0.value && $0.key > passing }.keys.min().map { min($0, failing) }
            ?? failing
    }
}

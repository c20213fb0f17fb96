/// When the candidates for a connection begin to connect: the next one when the one before has
/// failed, or has not connected for a while (RFC 8305, section 5). The first that has connected is
/// used.
package struct RaceOrder: Hashable, Sendable {
    private let count: Int
    private var begun = 0
    private var failed: Set<Int> = []
    /// The candidate to use.
    package private(set) var winner: Int?

    /// A race between `count` candidates.
    package init(count: Int) { self.count = count }

    /// Whether none is left that could connect.
    package var isLost: Bool { winner == nil && failed.count == count }

    /// Begins; returns the first candidate.
    package mutating func begin() -> Int? { next() }

    /// A candidate could not connect; returns the one to start.
    package mutating func fail(_ candidate: Int) -> Int? {
        failed.insert(candidate)
        // One that was started later is still on its way.
        return failed.count == begun ? next() : nil
    }

    /// A candidate has not connected for a while; returns the one to start.
    package mutating func lateness(of candidate: Int) -> Int? {
        candidate == begun - 1 ? next() : nil
    }

    /// A candidate has connected; returns whether it is to be used.
    package mutating func claim(_ candidate: Int) -> Bool {
        winner = winner ?? candidate
        return winner == candidate
    }

    private mutating func next() -> Int? {
        guard winner == nil, begun < count else { return nil }
        begun += 1
        return begun - 1
    }
}

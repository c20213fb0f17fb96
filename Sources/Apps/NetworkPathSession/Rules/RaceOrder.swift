/// When the candidates for a request begin to connect: the next one when the one before has failed,
/// or has not connected for a while (RFC 8305, section 5). The first that has connected sends the
/// request.
struct RaceOrder: Hashable, Sendable {
    private let count: Int
    private var begun = 0
    private var failed: Set<Int> = []
    /// The candidate that may send the request.
    private(set) var winner: Int?

    /// A race between `count` candidates.
    init(count: Int) { self.count = count }

    /// Whether none is left that could connect.
    var isLost: Bool { winner == nil && failed.count == count }

    /// Begins; returns the first candidate.
    mutating func begin() -> Int? { next() }

    /// A candidate could not connect; returns the one to start.
    mutating func fail(_ candidate: Int) -> Int? {
        failed.insert(candidate)
        // One that was started later is still on its way.
        return failed.count == begun ? next() : nil
    }

    /// A candidate has not connected for a while; returns the one to start.
    mutating func lateness(of candidate: Int) -> Int? {
        candidate == begun - 1 ? next() : nil
    }

    /// A candidate has connected; returns whether it may send the request.
    mutating func claim(_ candidate: Int) -> Bool {
        winner = winner ?? candidate
        return winner == candidate
    }

    private mutating func next() -> Int? {
        guard winner == nil, begun < count else { return nil }
        begun += 1
        return begun - 1
    }
}

extension NetworkSession.MultipathServiceType {
    /// How long a candidate may take to connect before the next one begins. RFC 8305 recommends
    /// 250 ms, and 2 s at most: apps that ask for several networks get the former, others stay with
    /// the preferred network as long as possible.
    var connectionAttemptDelay: Duration {
        self == .none ? .seconds(2) : .milliseconds(250)
    }
}

/// Decides which workers are dead: those whose files did not change while this process watched.
///
/// The clocks of other machines do not matter. Time in which this process itself was stopped does
/// not count: after it, everybody seems to have been silent.
struct WorkerWatch {
    private struct Sight {
        var content: String
        var silence = Duration.zero
        var seen: ContinuousClock.Instant
    }

    private let lease: Duration
    private var sights: [String: Sight] = [:]
    private var now = ContinuousClock.now

    init(lease: Duration) {
        self.lease = lease
    }

    /// Begins a look at all of them.
    mutating func begin(at now: ContinuousClock.Instant) {
        self.now = now
    }

    /// Whether a worker whose file has this content may still be alive.
    mutating func isAlive(_ name: String, content: String) -> Bool {
        guard var sight = sights[name], sight.content == content else {
            sights[name] = Sight(content: content, seen: now)
            return true
        }
        sight.silence += min(now - sight.seen, lease / 4)
        sight.seen = now
        sights[name] = sight
        return sight.silence < lease
    }
}

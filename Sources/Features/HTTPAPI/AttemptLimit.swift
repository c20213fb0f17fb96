/// Slows down clients that guess tokens: each address has a number of failures that it gets back with
/// time.
package struct AttemptLimit: Sendable {
    /// Failures in a row before a client has to wait.
    package static let burst = 10.0
    /// Failures that it gets back in a second.
    package static let perSecond = 1.0
    /// The most addresses remembered, so that many of them do not fill the memory.
    package static let mostSources = 4096

    private struct Failures {
        var count: Double
        var at: Duration
    }

    private var failures: [String: Failures] = [:]

    package init() {}

    /// Whether a request of `source` is looked at.
    package func allows(_ source: String, at now: Duration) -> Bool {
        remaining(source, now) + 1 <= Self.burst
    }

    /// Counts a wrong or missing token.
    package mutating func fail(_ source: String, at now: Duration) {
        let count = remaining(source, now) + 1
        if failures.count >= Self.mostSources {
            failures = failures.filter { remaining($0.key, now) > 0 }
            if failures.count >= Self.mostSources { failures = [:] }
        }
        failures[source] = Failures(count: count, at: now)
    }

    private func remaining(_ source: String, _ now: Duration) -> Double {
        guard let failed = failures[source] else { return 0 }
        return max(0, failed.count - (now - failed.at) / .seconds(1) * Self.perSecond)
    }
}

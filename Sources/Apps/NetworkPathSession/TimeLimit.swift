import Foundation

/// How long something may take, in seconds, as far as that can be counted.
enum TimeLimit {
    /// What requests have unless something else is said.
    static let ofRequests: TimeInterval = 60
    /// What resources have unless something else is said: 7 days.
    static let ofResources: TimeInterval = 604_800
    /// Some thirty years: what is longer has no end, and no clock that counts so far.
    private static let endless: TimeInterval = 1_000_000_000

    /// The limit of a request in the whole seconds that FoundationNetworking counts: it takes 0.5
    /// for 0, and ends there at once.
    static func wholeSeconds(_ limit: TimeInterval) -> TimeInterval {
        usable(limit, unsaid: ofRequests).rounded(.up)
    }

    /// The limit of a resource.
    static func ofResource(_ limit: TimeInterval) -> Duration {
        .seconds(usable(limit, unsaid: ofResources))
    }

    /// What is no time at all (zero, below it, not a number) says nothing.
    private static func usable(_ limit: TimeInterval, unsaid: TimeInterval) -> TimeInterval {
        limit > 0 ? min(limit, endless) : unsaid
    }
}

import Foundation

/// Time limits in seconds, clamped to what clocks can count.
enum TimeLimit {
    /// The default for requests.
    static let ofRequests: TimeInterval = 60
    /// The default for resources: 7 days.
    static let ofResources: TimeInterval = 604_800
    /// Some thirty years: longer limits count as none, because clocks cannot count so far.
    private static let endless: TimeInterval = 1_000_000_000

    /// The limit of a request in whole seconds, as URLSession counts.
    static func wholeSeconds(_ limit: TimeInterval) -> TimeInterval {
        usable(limit, unsaid: ofRequests).rounded(.up)
    }

    /// The limit of a request.
    static func ofRequest(_ limit: TimeInterval) -> Duration { .seconds(wholeSeconds(limit)) }

    /// The limit of a resource.
    static func ofResource(_ limit: TimeInterval) -> Duration {
        .seconds(usable(limit, unsaid: ofResources))
    }

    /// An invalid limit (zero, negative, NaN) counts as the default.
    private static func usable(_ limit: TimeInterval, unsaid: TimeInterval) -> TimeInterval {
        limit > 0 ? min(limit, endless) : unsaid
    }
}

/// Decides when a thread that may go before all others does so.
///
/// Who has long been behind is not late for want of precedence: there are more packets than it can
/// carry. Then it would only keep those from the processors who receive them, and lose what it
/// carries.
struct Precedence {
    /// How far it may be behind what has arrived.
    static let tolerance = Duration.milliseconds(10)
    /// For how long it may be further behind.
    static let patience = Duration.milliseconds(100)
    /// How long it then takes turns with others.
    static let rest = Duration.seconds(1)

    private var behindSince: Duration?
    private var restEnd: Duration?

    /// Whether it is time to go before others.
    ///
    /// - Parameter lag: how far the thread is behind.
    mutating func isDue(lag: Duration, at now: Duration) -> Bool {
        if let restEnd {
            guard now >= restEnd else { return false }
            (self.restEnd, behindSince) = (nil, nil)
        }
        guard lag > Self.tolerance else {
            behindSince = nil
            return true
        }
        let since = behindSince ?? now
        behindSince = since
        guard now - since >= Self.patience else { return true }
        restEnd = now + Self.rest
        return false
    }
}

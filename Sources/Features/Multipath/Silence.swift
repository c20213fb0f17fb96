/// Tells from echoes whether an interface silently drops everything: a pure value without a clock.
struct Silence: Hashable {
    /// When the requests since the latest echo were sent.
    private var unanswered: [Duration] = []
    private var roundTrip = Duration.zero

    /// So many requests in a row have to go unanswered: on a link that loses a tenth of all packets
    /// in each direction, that happens about once an hour at five requests a second.
    static let limit = 6
    /// How much later than the previous echo one may come.
    private static let margin = Duration.milliseconds(50)

    /// Records a request.
    mutating func ask(at now: Duration) {
        // The oldest decide.
        if unanswered.count < Self.limit { unanswered.append(now) }
    }

    /// Records an echo, however late it is.
    mutating func hear(after roundTrip: Duration) {
        self.roundTrip = roundTrip
        unanswered = []
    }

    /// Whether the echoes are missing that should have come by now.
    ///
    /// Counts requests, not time: whoever asks may have been kept from it.
    func isSilent(at now: Duration) -> Bool {
        let overdue = unanswered.filter { now - $0 > roundTrip * 2 + Self.margin }
        return overdue.count >= Self.limit
    }
}

/// Decides whether the holder of a lease is stopped, from its heartbeats.
///
/// The wall clock plays no role, since it may be set back. The clock of the beats is
/// `CLOCK_MONOTONIC`: it does not run while the machine sleeps, when nobody can beat. Beats of
/// another boot or of another clock cannot be compared; then only a change counts.
struct LeaseJudge: Sendable {
    /// A heartbeat.
    struct Beat: Hashable, Sendable {
        /// The boot, as the kernel names it (`/proc/sys/kernel/random/boot_id`).
        var boot: String
        /// The time since then.
        var time: Duration
    }

    /// How long a holder may be silent.
    let patience: Duration
    private var last: (beat: Beat?, since: Duration)?

    init(patience: Duration) {
        self.patience = patience
    }

    /// Whether the holder, whose latest beat is this, has been silent for too long.
    mutating func isStopped(_ beat: Beat?, at now: Beat) -> Bool {
        if let beat, beat.boot == now.boot, now.time - beat.time > patience { return true }
        if let last, last.beat == beat { return now.time - last.since > patience }
        last = (beat, now.time)
        return false
    }
}

extension LeaseJudge.Beat {
    /// One line of a fixed size, so that a beat overwrites the one before.
    var text: String {
        let digits = "\(Int64(time / .nanoseconds(1)))"
        return boot + " " + String(repeating: "0", count: max(0, 20 - digits.count)) + digits + "\n"
    }

    init?(_ text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let nanoseconds = Int64(words[1]) else { return nil }
        self.init(boot: String(words[0]), time: .nanoseconds(nanoseconds))
    }
}

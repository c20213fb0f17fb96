/// Has a thread that goes before all others leave a part of its processor's time to them.
///
/// Otherwise the kernel does so, once they have got less than 5 % for most of a second: it then takes
/// 50 ms for them in one piece (`fair_server`; before Linux 6.12 `kernel.sched_rt_runtime_us`), and
/// all packets wait for so long.
struct Pauses {
    /// The shorter, the less late is a packet for which it is time during a pause.
    static let period = Duration.milliseconds(2)
    private let length: Duration

    /// When the present period began.
    private var beginning = Duration.zero
    /// How long the thread has slept in it.
    private var slept = Duration.zero

    /// - Parameter sharesProcessor: whether the link's other thread runs on the same processor, and
    ///   takes up to half of what this one leaves.
    init(sharesProcessor: Bool) {
        length = .microseconds(sharesProcessor ? 220 : 110)
    }

    /// Takes note that the thread slept.
    mutating func note(_ sleep: Duration) {
        if sleep > .zero { slept += sleep }
    }

    /// The end of a pause that is due now; nil if the thread has slept enough.
    mutating func end(at now: Duration) -> Duration? {
        guard now - beginning >= Self.period else { return nil }
        let end = slept < length ? now + length : nil
        (beginning, slept) = (end ?? now, .zero)
        return end
    }
}

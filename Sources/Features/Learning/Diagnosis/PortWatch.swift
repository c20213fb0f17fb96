import LinuxKernel

/// Watches which port outside a NAT gives to one socket.
struct PortWatch {
    private let session: DiagnosisSession
    private let probe: DiagnosisSession.Probe
    private let first: Endpoint
    private let begin = KernelClock.monotonic

    /// For how long a NAT is watched that gives no reason to think that it rebinds.
    private static let calm = Duration.seconds(3)
    /// And one that does, after each change.
    private static let longest = Duration.seconds(16)
    private static let pause = Duration.milliseconds(100)
    /// Three intervals are enough to say how long one is.
    private static let mostChanges = 4
    /// And one is enough that is not shorter than this.
    private static let longInterval = Duration.seconds(4)

    /// Begins; nil if the responder does not answer.
    init?(_ session: DiagnosisSession, _ probe: DiagnosisSession.Probe) {
        guard let seen = session.ask(0, by: probe).seen else { return nil }
        (self.session, self.probe, first) = (session, probe, seen)
    }

    /// Watches it to the end, which comes at once where there is no NAT, and after a change where it can.
    ///
    /// - Parameter isSuspicious: whether something else has shown that it rebinds.
    func fact(isSuspicious: Bool) -> RebindingFact {
        let start = KernelClock.monotonic
        guard var last = session.ask(0, by: probe).seen else {
            return .unknown("the responder does not answer any more")
        }
        let wasChanged = last != first
        guard wasChanged || first != probe.local else { return .none }
        var changes: [Duration] = []
        while changes.count < Self.mostChanges {
            if changes.count > 1, changes[1] - changes[0] >= Self.longInterval { break }
            let isCalm = !wasChanged && !isSuspicious && changes.isEmpty
            let now = KernelClock.monotonic
            let end = isCalm ? begin + Self.calm : (changes.last ?? start) + Self.longest
            guard now < end else { break }
            KernelClock.sleep(until: now + Self.pause)
            guard let seen = session.ask(0, by: probe).seen else { break }
            if seen != last { changes.append(KernelClock.monotonic) }
            last = seen
        }
        return RebindingFact(wasChanged: wasChanged, changes: changes)
    }
}

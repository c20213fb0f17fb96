import LinkModel

/// A change of conditions in small steps.
struct Ramp {
    /// The time between steps: finer than eyes, ears and most protocols can tell, and little work
    /// for the kernel.
    static let step = Duration.milliseconds(20)

    let interface: String
    let profile: String
    let line: Int?
    private let text: String
    private let beginning: LinkConditions
    private let target: LinkConditions
    private let start: Duration
    private let length: Duration
    /// When the next step is due; nil: all steps are done.
    private(set) var next: Duration?
    private var greatestLateness = Duration.zero
    private var latestEffort = Duration.zero

    /// The ramp that `event`, a change, starts at its time.
    init?(_ event: TimelineEvent, from beginning: LinkConditions) {
        guard case .change(let interface, let profile, let target, let over) = event.action,
            over > .zero
        else { return nil }
        self.interface = interface
        self.profile = profile
        self.beginning = beginning
        self.target = target
        line = event.line
        start = event.time
        length = over
        text = "\(interface): \(profile) reached"
        next = start + min(Self.step, over)
    }

    /// The conditions of the latest step due at `now`, and when the first pending step was due.
    /// Missed steps are skipped.
    mutating func take(at now: Duration) -> (conditions: LinkConditions, due: Duration)? {
        guard let firstDue = next, firstDue <= now else { return nil }
        var due = firstDue
        let end = start + length
        while due < end, min(due + Self.step, end) <= now { due = min(due + Self.step, end) }
        next = due < end ? min(due + Self.step, end) : nil
        guard due < end else { return (target, firstDue) }
        return (beginning.interpolated(to: target, fraction: (due - start) / length), firstDue)
    }

    /// Records that a step was late.
    ///
    /// - Parameter effort: The part of the lateness that the step itself took.
    mutating func note(lateness: Duration, effort: Duration) {
        guard lateness > greatestLateness else { return }
        greatestLateness = lateness
        latestEffort = effort
    }

    /// The event to report at the end of the ramp.
    func end(at now: Duration, _ failure: String?) -> PlayedEvent {
        PlayedEvent(
            text: text, subject: .interface(interface), plannedTime: start + length, time: now,
            lateness: greatestLateness, effort: latestEffort, failure: failure,
            lineNumber: line)
    }
}

import LinkModel

/// A change of conditions that goes on in small steps.
struct Ramp {
    /// From one step to the next: more often than eyes, ears and most protocols can tell, and
    /// little work for the kernel.
    static let step = Duration.milliseconds(20)

    let interface: String
    let profile: String
    let line: Int?
    private let text: String
    private let beginning: LinkConditions
    private let target: LinkConditions
    private let start: Duration
    private let length: Duration
    /// When the next step is due; nil: all are done.
    private(set) var next: Duration?
    private var greatestLateness = Duration.zero
    private var latestEffort = Duration.zero

    /// A ramp that `event`, a change, begins at its time.
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

    /// The conditions of the latest step that is due at `now`, and when the first was that has not
    /// been taken yet: steps that were missed are left out.
    mutating func take(at now: Duration) -> (conditions: LinkConditions, due: Duration)? {
        guard let firstDue = next, firstDue <= now else { return nil }
        var due = firstDue
        let end = start + length
        while due < end, min(due + Self.step, end) <= now { due = min(due + Self.step, end) }
        next = due < end ? min(due + Self.step, end) : nil
        guard due < end else { return (target, firstDue) }
        return (beginning.interpolated(to: target, fraction: (due - start) / length), firstDue)
    }

    /// Takes note that a step was done later than it was due.
    ///
    /// - Parameter effort: how much of that the doing took.
    mutating func note(lateness: Duration, effort: Duration) {
        guard lateness > greatestLateness else { return }
        greatestLateness = lateness
        latestEffort = effort
    }

    /// What there is to say when it has reached its end.
    func end(at now: Duration, _ failure: String?) -> PlayedEvent {
        PlayedEvent(
            text: text, subject: .interface(interface), plannedTime: start + length, time: now,
            lateness: greatestLateness, effort: latestEffort, failure: failure,
            lineNumber: line)
    }
}

/// A command that must succeed before a deadline.
struct PendingCheck {
    /// The pause between a failed attempt and the next.
    static let pause = Duration.milliseconds(100)

    private let command: Expectation.Command
    private let event: TimelineEvent
    /// How late the first attempt started.
    private let lateness: Duration
    /// When it must have succeeded; nil: when the only attempt ends.
    private let deadline: Duration?
    /// The running attempt; nil: none.
    private var attempt: Int32?
    private var nextAttempt: Duration
    private var failure = "it did not end"

    /// The state of the check.
    enum Verdict {
        case succeeded
        case failed(String)
        /// Undecided; check again at this time or when a command has ended.
        case open(until: Duration?)
    }

    /// Starts at `now`.
    init(_ command: Expectation.Command, of event: TimelineEvent, at now: Duration) {
        self.command = command
        self.event = event
        deadline = command.limit > .zero ? event.time + command.limit : nil
        nextAttempt = now
        lateness = now - event.time
    }

    /// Collects an attempt that has ended and starts another when it is due.
    mutating func turn(on stage: inout some Stage) -> Verdict {
        if let attempt, let code = stage.exitCode(ofCheck: attempt) {
            self.attempt = nil
            if code == 0 { return .succeeded }
            failure = "it ended with exit code \(code)"
            guard deadline != nil else { return .failed(sentence) }
            nextAttempt = stage.now + Self.pause
        }
        if let deadline, stage.now >= deadline {
            if let attempt { stage.abandonCheck(attempt) }
            return .failed(sentence)
        }
        guard attempt == nil else { return .open(until: deadline) }
        guard nextAttempt <= stage.now else {
            return .open(until: min(nextAttempt, deadline ?? nextAttempt))
        }
        do {
            attempt = try stage.startCheck(command.text, on: event.device)
            return .open(until: deadline)
        } catch {
            return .failed("expected `\(command.text)` to succeed; \(error)")
        }
    }

    /// The event to report once decided. How long the check took does not count as lateness.
    func end(at now: Duration, _ failure: String? = nil) -> PlayedEvent {
        var played = PlayedEvent(event, at: now, failure: failure)
        played.lateness = lateness
        return played
    }

    private var sentence: String {
        "expected `\(command.text)` to succeed\(command.limitText); \(failure)"
    }
}

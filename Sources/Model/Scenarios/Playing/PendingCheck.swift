/// A command that has to succeed, until it has or its time is over.
struct PendingCheck {
    /// From the failure of an attempt to the next one.
    static let pause = Duration.milliseconds(100)

    private let command: Expectation.Command
    private let event: TimelineEvent
    /// How late it began.
    private let lateness: Duration
    /// When it must have succeeded; nil: whenever the only attempt ends.
    private let deadline: Duration?
    /// The attempt that goes on; nil: none.
    private var attempt: Int32?
    private var nextAttempt: Duration
    private var failure = "it did not end"

    /// How it came out.
    enum Verdict {
        case succeeded
        case failed(String)
        /// Not known yet; to be asked again at this time, or when a command has ended.
        case open(until: Duration?)
    }

    /// Begins at the time that is `now`.
    init(_ command: Expectation.Command, of event: TimelineEvent, at now: Duration) {
        self.command = command
        self.event = event
        deadline = command.limit > .zero ? event.time + command.limit : nil
        nextAttempt = now
        lateness = now - event.time
    }

    /// Takes note of an attempt that has ended and begins another if it is time.
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
            attempt = try stage.startCheck(command.text)
            return .open(until: deadline)
        } catch {
            return .failed("expected `\(command.text)` to succeed; \(error)")
        }
    }

    /// What there is to say when it has come out. It is not late however long it took.
    func end(at now: Duration, _ failure: String? = nil) -> PlayedEvent {
        var played = PlayedEvent(event, at: now, failure: failure)
        played.lateness = lateness
        return played
    }

    private var sentence: String {
        "expected `\(command.text)` to succeed\(command.limitText); \(failure)"
    }
}

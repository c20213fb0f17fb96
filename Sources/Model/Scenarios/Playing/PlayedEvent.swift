/// What became of an event of a timeline.
public struct PlayedEvent: Sendable, Hashable {
    /// What happened, in a few words, such as `wifi0: down`.
    public var text: String
    /// What it is about.
    public var subject: Subject
    /// When it was to happen, from the start of the command.
    public var plannedTime: Duration
    /// When it had happened.
    public var time: Duration
    /// How late it was done. Of a ramp's end: how late the latest of its steps was.
    public var lateness: Duration
    /// How much of that the doing took: to make an interface appear takes the kernel its time.
    public var effort: Duration
    /// Why it could not be done, or what was not as expected; nil: all is well.
    public var failure: String?
    /// The line of the scenario file.
    public var lineNumber: Int?

    /// What an event is about.
    public enum Subject: Sendable, Hashable {
        /// An interface.
        case interface(String)
        /// The app, or a command beside it.
        case app
        /// Something that must be so.
        case expectation
    }

    init(
        _ event: TimelineEvent, at now: Duration, effort: Duration = .zero, failure: String? = nil
    ) {
        self.init(
            text: event.action.description, subject: event.action.subject, plannedTime: event.time,
            time: now, lateness: now - event.time, effort: effort, failure: failure,
            lineNumber: event.line)
    }

    init(
        text: String, subject: Subject, plannedTime: Duration, time: Duration, lateness: Duration,
        effort: Duration, failure: String?, lineNumber: Int?
    ) {
        self.text = text
        self.subject = subject
        self.plannedTime = plannedTime
        self.time = time
        self.lateness = lateness
        self.effort = effort
        self.failure = failure
        self.lineNumber = lineNumber
    }

    /// The text with the failure, if there is one.
    public var sentence: String {
        guard let failure else { return text }
        return subject == .expectation ? failure : "\(text): \(failure)"
    }
}

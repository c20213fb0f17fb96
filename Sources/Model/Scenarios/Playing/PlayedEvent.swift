/// The outcome of an event of a timeline.
public struct PlayedEvent: Sendable, Hashable {
    /// What happened, in a few words: `wifi0: down`.
    public var text: String
    /// What it concerns.
    public var subject: Subject
    /// When it was planned, from the start of the command.
    public var plannedTime: Duration
    /// When it was completed.
    public var time: Duration
    /// How late it was completed. For the end of a ramp: the lateness of its latest step.
    public var lateness: Duration
    /// The part of `lateness` that the action itself took: the kernel needs time to make an
    /// interface.
    public var effort: Duration
    /// Why it could not be done, or how the expectation failed; nil: it succeeded.
    public var failure: String?
    /// The line of the scenario file.
    public var lineNumber: Int?

    /// What an event concerns.
    public enum Subject: Sendable, Hashable {
        /// An interface.
        case interface(String)
        /// The app, or a command beside it.
        case app
        /// An expectation.
        case expectation
    }
}

extension PlayedEvent {
    init(
        _ event: TimelineEvent, at now: Duration, effort: Duration = .zero, failure: String? = nil
    ) {
        self.init(
            text: event.description, subject: event.action.subject, plannedTime: event.time,
            time: now, lateness: now - event.time, effort: effort,
            failure: failure?.prefixed(event.action.subject == .expectation ? event.device : nil),
            lineNumber: event.line)
    }

    /// The text with the failure, if there is one.
    public var sentence: String {
        guard let failure else { return text }
        return subject == .expectation ? failure : "\(text): \(failure)"
    }
}

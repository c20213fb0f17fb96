/// A message about a scenario being played.
public enum PlayRemark: Sendable, Hashable {
    /// An event happened as planned.
    case event(String)
    /// An expectation failed.
    case failedExpectation(String)
    /// A note for the user.
    case note(String)
}

/// Turns what a player does into messages, on any stage.
public struct Narrator: Sendable {
    private let origin: String
    private var punctuality = Punctuality()
    /// The number of failed expectations.
    public private(set) var failedExpectations = 0

    /// - Parameter origin: The path of the file, or the name of a built-in scenario.
    public init(origin: String) { self.origin = origin }

    /// The message for an event.
    public mutating func remark(on event: PlayedEvent) -> PlayRemark {
        punctuality.add(event)
        guard event.failure != nil else { return .event(event.line) }
        let complaint = event.complaint(origin: origin)
        guard event.subject == .expectation else { return .note(complaint) }
        failedExpectations += 1
        return .failedExpectation(complaint)
    }

    /// The message after the end; nil if every event was punctual.
    public var conclusion: PlayRemark? { punctuality.note.map { .note($0) } }
}

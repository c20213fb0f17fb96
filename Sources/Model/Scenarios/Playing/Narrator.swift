/// What is told of a scenario while it is played.
public enum PlayRemark: Sendable, Hashable {
    /// Something happened as the scenario says.
    case event(String)
    /// Something was not as the scenario expects.
    case failedExpectation(String)
    /// Something the user should know.
    case note(String)
}

/// Tells what a player does, on whatever stage.
public struct Narrator: Sendable {
    private let origin: String
    private var punctuality = Punctuality()
    /// How often something was not as expected.
    public private(set) var failedExpectations = 0

    /// - Parameter origin: the path of the file, or the name of a built-in scenario.
    public init(origin: String) { self.origin = origin }

    /// What to tell of an event.
    public mutating func remark(on event: PlayedEvent) -> PlayRemark {
        punctuality.add(event)
        guard event.failure != nil else { return .event(event.line) }
        let complaint = event.complaint(origin: origin)
        guard event.subject == .expectation else { return .note(complaint) }
        failedExpectations += 1
        return .failedExpectation(complaint)
    }

    /// What to tell when all is over; nil if everything was punctual.
    public var conclusion: PlayRemark? { punctuality.note.map { .note($0) } }
}

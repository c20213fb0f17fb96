extension TimelineAction {
    /// What the action concerns.
    var subject: PlayedEvent.Subject {
        switch self {
        case .change(let interface, _, _, _), .carrier(let interface, _),
            .presence(let interface, _), .override(let interface, _), .prefer(let interface):
            .interface(interface)
        case .app, .execute: .app
        case .expect: .expectation
        }
    }
}

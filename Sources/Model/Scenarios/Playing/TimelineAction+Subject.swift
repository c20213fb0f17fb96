extension TimelineAction {
    /// The interface that the action concerns; nil if it concerns an app.
    var interface: String? {
        switch self {
        case .change(let interface, _, _, _), .carrier(let interface, _),
            .presence(let interface, _), .override(let interface, _), .prefer(let interface):
            interface
        case .app, .execute, .expect: nil
        }
    }

    /// What the action concerns.
    var subject: PlayedEvent.Subject {
        if let interface { return .interface(interface) }
        if case .expect = self { return .expectation }
        return .app
    }

    /// Whether it starts an app again.
    var isRelaunch: Bool {
        if case .app(.relaunch) = self { true } else { false }
    }
}

/// What a run waited for; every moment of a run has exactly one.
public enum Cause: String, CaseIterable, Sendable, Codable, CodingKeyRepresentable {
    case nameResolution, tcpHandshake, tlsHandshake
    /// The delay of the link.
    case propagation
    /// The bandwidth of the link: the bytes of the connection itself.
    case serialization
    /// Packets of others in the queue of the link.
    case queueing
    case fastRecovery, timeoutRecovery
    case receiveWindow, congestionWindow
    case server, app
    /// The link is down.
    case linkDown
    /// The emulation delivered packets later than it should.
    case lateness
}

/// Where a packet, or the one that should send the next, is.
public enum Component: String, CaseIterable, Sendable, Codable, CodingKeyRepresentable {
    case propagation, serialization, queueing
    case fastRecovery, timeoutRecovery, linkDown
    case server, app, lateness
}

/// What a connection does with it.
public enum Phase: String, CaseIterable, Sendable, Codable, CodingKeyRepresentable {
    /// Requests and responses.
    case exchange
    case nameResolution, tcpHandshake, tlsHandshake
    /// The sender has more than the window lets out.
    case receiveWindow, congestionWindow
}

/// Both dimensions of a wait.
struct WaitKind: Hashable, Comparable, Sendable {
    var phase: Phase
    var component: Component

    init(_ component: Component, in phase: Phase = .exchange) {
        self.phase = phase
        self.component = component
    }

    /// Any order that is always the same, for reports.
    static func < (left: WaitKind, right: WaitKind) -> Bool {
        (left.phase.rawValue, left.component.rawValue)
            < (right.phase.rawValue, right.component.rawValue)
    }

    /// The one cause of both: recovery and what no network does win over phases, and phases over
    /// components.
    var cause: Cause {
        switch (component, phase) {
        case (.fastRecovery, _): .fastRecovery
        case (.timeoutRecovery, _): .timeoutRecovery
        case (.linkDown, _): .linkDown
        case (.lateness, _): .lateness
        case (_, .nameResolution): .nameResolution
        case (_, .tcpHandshake): .tcpHandshake
        case (_, .tlsHandshake): .tlsHandshake
        case (_, .receiveWindow): .receiveWindow
        case (_, .congestionWindow): .congestionWindow
        case (.propagation, .exchange): .propagation
        case (.serialization, .exchange): .serialization
        case (.queueing, .exchange): .queueing
        case (.server, .exchange): .server
        case (.app, .exchange): .app
        }
    }
}

/// A wait of a certain length.
struct Wait: Hashable, Sendable {
    var kind: WaitKind
    var length: Duration
}

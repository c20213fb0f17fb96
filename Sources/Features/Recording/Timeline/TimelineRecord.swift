public import LinkModel

/// A run over time: its interfaces, and the events for them and for the app.
///
/// It is filled during the run and read by `TimelinePlot` and by reports.
public struct TimelineRecord: Codable, Sendable, Hashable {
    /// How long the command ran.
    public var durationSeconds: Double
    /// In the initial order of preference.
    public var interfaces: [InterfaceRecord]
    /// The events in the order in which they happened.
    public var events: [EventRecord]

    /// Makes a record; without arguments, an empty one.
    public init(
        durationSeconds: Double = 0, interfaces: [InterfaceRecord] = [],
        events: [EventRecord] = []
    ) {
        self.durationSeconds = durationSeconds
        self.interfaces = interfaces
        self.events = events
    }

    /// The same with more events among its own.
    public func adding(_ others: [EventRecord]) -> TimelineRecord {
        var sum = self
        // The sort is stable, so that what happened at the same time stays in its order.
        sum.events = (events + others).sorted { $0.seconds < $1.seconds }
        return sum
    }
}

/// An event during the run of a command.
public struct EventRecord: Codable, Sendable, Hashable {
    /// What an event concerns.
    public enum Kind: String, Codable, Sendable, Hashable {
        /// Conditions, carrier, presence, override or preference of an interface.
        case network
        /// The app was suspended, ended or restarted, or a command ran beside it.
        case app
        /// An expectation.
        case expectation
    }

    /// When it happened, since the start of the command.
    public var seconds: Double
    /// What happened, in a few words, such as `wifi0: down`.
    public var text: String
    /// What it concerns.
    public var kind: Kind
    /// The interface concerned; nil if none or several.
    @OrNull public var interface: String?
    /// How much later than planned it was done.
    public var latenessMilliseconds: Double
    /// Whether it could not be done, or the expectation failed.
    public var isFailure: Bool

    /// Makes an event.
    public init(
        at time: Duration, _ text: String, kind: Kind = .network, interface: String? = nil,
        lateness: Duration = .zero, isFailure: Bool = false
    ) {
        seconds = time.seconds
        self.text = text
        self.kind = kind
        _interface = OrNull(wrappedValue: interface)
        latenessMilliseconds = lateness / .milliseconds(1)
        self.isFailure = isFailure
    }
}

public import LinkModel

/// What a run was like over time: its interfaces, and what was done to them and to the app.
///
/// It is filled while the run goes on, and read by `TimelinePlot` and by reports.
public struct TimelineRecord: Codable, Sendable, Hashable {
    /// How long the command ran.
    public var durationSeconds: Double
    /// In the order of preference that they had at first.
    public var interfaces: [InterfaceRecord]
    /// What was done, in the order in which it happened.
    public var events: [EventRecord]

    /// Begins a record; without arguments one in which nothing has happened yet.
    public init(
        durationSeconds: Double = 0, interfaces: [InterfaceRecord] = [],
        events: [EventRecord] = []
    ) {
        self.durationSeconds = durationSeconds
        self.interfaces = interfaces
        self.events = events
    }
}

/// One thing that was done while a command ran.
public struct EventRecord: Codable, Sendable, Hashable {
    /// What an event is about.
    public enum Kind: String, Codable, Sendable, Hashable {
        /// Conditions, carrier, presence, override or preference of an interface.
        case network
        /// The app: suspended, ended, started again; a command run beside it.
        case app
        /// Something that had to be so.
        case expectation
    }

    /// When it happened, counted from the start of the command.
    public var seconds: Double
    /// What happened, in a few words, such as `wifi0: down`.
    public var text: String
    /// What it is about.
    public var kind: Kind
    /// The interface that it was done to; nil if to none or several.
    @OrNull public var interface: String?
    /// How much later than planned it was done.
    public var latenessMilliseconds: Double
    /// Whether it could not be done, or was not as expected.
    public var isFailure: Bool

    /// Describes an event.
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

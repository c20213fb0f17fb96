public import LinkModel

/// One thing that happens at one time, with all that the scenario leaves relative resolved.
public struct TimelineEvent: Sendable, Hashable {
    /// When it happens, from the start of the command.
    public var time: Duration
    /// What happens.
    public var action: TimelineAction
    /// How much an interface may carry, from that time on, before it happens; nil: it happens at
    /// that time.
    public var limit: VolumeLimit?
    /// The line of the scenario file that says so.
    public var line: Int?

    /// Makes an event.
    public init(
        time: Duration, action: TimelineAction, limit: VolumeLimit? = nil, line: Int? = nil
    ) {
        self.time = time
        self.action = action
        self.limit = limit
        self.line = line
    }
}

/// What an event does.
public enum TimelineAction: Sendable, Hashable {
    /// Gives an interface these conditions, by a ramp from those that it has if `over` is not zero.
    /// `profile` is what people call them.
    case change(interface: String, profile: String, conditions: LinkConditions, over: Duration)
    /// Takes the carrier and the addresses away, or gives them back.
    case carrier(interface: String, isUp: Bool)
    /// Makes an interface appear or vanish.
    case presence(interface: String, isPresent: Bool)
    /// Gives an interface these settings in place of all that it had; see
    /// `ScenarioInterface.initialOverride`.
    case override(interface: String, InterfaceOverride)
    /// Makes an interface the most preferred one; the order of the others stays.
    case prefer(interface: String)
    /// Does something to the app.
    case app(AppAction)
    /// Runs a command of the shell beside the app, without waiting for it.
    case execute(String)
    /// Says what must be so at this time.
    case expect(Expectation)
}

public import LinkModel

/// One event at a fixed time, with everything relative in the scenario resolved.
public struct TimelineEvent: Sendable, Hashable {
    /// When it happens, from the start of the command.
    public var time: Duration
    /// The device that it concerns, if there are several; nil for what happens to an interface.
    public var device: String?
    /// What happens.
    public var action: TimelineAction
    /// The volume that an interface carries after that time before the event happens; nil: it
    /// happens at that time.
    public var limit: VolumeLimit?
    /// The line in the scenario file.
    public var line: Int?
}

/// The action of an event.
public enum TimelineAction: Sendable, Hashable {
    /// Sets the conditions of an interface, as a ramp from the current ones if `over` is not zero.
    /// `profile` is their display name.
    case change(interface: String, profile: String, conditions: LinkConditions, over: Duration)
    /// Removes the carrier and the addresses, or restores them.
    case carrier(interface: String, isUp: Bool)
    /// Makes an interface appear or vanish.
    case presence(interface: String, isPresent: Bool)
    /// Replaces all overrides of an interface; see `ScenarioInterface.initialOverride`.
    case override(interface: String, InterfaceOverride)
    /// Makes an interface the most preferred; the order of the others stays.
    case prefer(interface: String)
    /// Performs an action on the app.
    case app(AppAction)
    /// Runs a shell command beside the app without waiting for it.
    case execute(String)
    /// States what must hold at this time.
    case expect(Expectation)
}

/// What happens to an app and its network while it runs: one YAML file.
///
/// A scenario holds what the file says, including relative times and temporary changes. `Timeline`
/// turns it, with a seed, into events with fixed times; a player carries them out.
public struct Scenario: Sendable, Hashable {
    /// The display name, such as `Walking out of Wi-Fi`.
    public var name: String
    /// Further names.
    public var aliases: [String]
    /// What happens, in one sentence.
    public var summary: String
    /// What an app should do about it, one sentence each.
    public var advice: [String]
    /// Where the numbers come from.
    public var source: String
    /// The interfaces that the apps have or will have, most preferred first; at least one.
    public var interfaces: [ScenarioInterface]
    /// Several apps, each on its own device with some of the interfaces; empty: one app, which has
    /// all of them.
    public var apps: [ScenarioApp]
    /// How Multipath TCP uses them.
    public var multipath: MultipathMode
    /// What happens, in file order.
    public var entries: [ScenarioEntry]
    /// How often the whole timeline is played and how long one pass takes; nil: once.
    public var repetition: Repetition?

    /// Repeats the whole timeline.
    ///
    /// Each pass starts with the interfaces as the scenario describes them; the app keeps running.
    public struct Repetition: Sendable, Hashable {
        /// The number of passes; nil: until the command ends.
        public var count: Int?
        /// From the start of one pass to the start of the next.
        public var period: Duration

        /// Makes a repetition.
        public init(count: Int?, period: Duration) {
            self.count = count
            self.period = period
        }
    }

    /// Makes a scenario.
    public init(
        name: String, aliases: [String] = [], summary: String = "", advice: [String] = [],
        source: String = "", interfaces: [ScenarioInterface], apps: [ScenarioApp] = [],
        multipath: MultipathMode = .off, entries: [ScenarioEntry] = [],
        repetition: Repetition? = nil
    ) {
        self.name = name
        self.aliases = aliases
        self.summary = summary
        self.advice = advice
        self.source = source
        self.interfaces = interfaces
        self.apps = apps
        self.multipath = multipath
        self.entries = entries
        self.repetition = repetition
    }
}

/// How Multipath TCP uses several interfaces.
public enum MultipathMode: String, Sendable, Hashable, CaseIterable {
    /// Not at all: a connection stays on the interface on which it began.
    case off
    /// The most preferred interface; the others if it fails.
    case handover
    /// The interface with the shortest RTT at the time; the others stand by.
    case interactive
    /// All interfaces together.
    case aggregate
}

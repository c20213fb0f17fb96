/// What happens to an app's network, and to the app, while it runs: one YAML file.
///
/// A scenario is what the file says, relative times and temporary changes included. `Timeline`
/// makes of it, with a seed, the events and their times; a player carries those out.
public struct Scenario: Sendable, Hashable {
    /// How people know it, such as `Walking out of Wi-Fi`.
    public var name: String
    /// Further names.
    public var aliases: [String]
    /// What happens, in a sentence.
    public var summary: String
    /// What an app should do about it, a sentence each.
    public var advice: [String]
    /// Where the numbers come from.
    public var source: String
    /// The interfaces that the app has or will have, the most preferred first; at least one.
    public var interfaces: [ScenarioInterface]
    /// How Multipath TCP uses them.
    public var multipath: MultipathMode
    /// What happens, in the order of the file.
    public var entries: [ScenarioEntry]
    /// How often the whole timeline is played, and how long one pass takes; nil: once.
    public var repetition: Repetition?

    /// The whole timeline again and again.
    ///
    /// Each pass begins with the interfaces as the scenario describes them; the app goes on.
    public struct Repetition: Sendable, Hashable {
        /// How often it is played; nil: until the command ends.
        public var count: Int?
        /// From the start of one pass to that of the next.
        public var period: Duration

        /// Plays a timeline repeatedly.
        public init(count: Int?, period: Duration) {
            self.count = count
            self.period = period
        }
    }

    /// Makes a scenario.
    public init(
        name: String, aliases: [String] = [], summary: String = "", advice: [String] = [],
        source: String = "", interfaces: [ScenarioInterface], multipath: MultipathMode = .off,
        entries: [ScenarioEntry] = [], repetition: Repetition? = nil
    ) {
        self.name = name
        self.aliases = aliases
        self.summary = summary
        self.advice = advice
        self.source = source
        self.interfaces = interfaces
        self.multipath = multipath
        self.entries = entries
        self.repetition = repetition
    }
}

/// How Multipath TCP uses several interfaces.
public enum MultipathMode: String, Sendable, Hashable, CaseIterable {
    /// Not at all: a connection stays on the interface that it began on.
    case off
    /// The most preferred interface; the others when that one fails.
    case handover
    /// The one with the shortest round trip at the time; the others stand by.
    case interactive
    /// All of them together.
    case aggregate
}

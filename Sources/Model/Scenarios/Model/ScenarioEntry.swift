public import LinkModel
public import LinkUnits

/// One item of a scenario's timeline: when, and what.
public struct ScenarioEntry: Sendable, Hashable {
    /// When something happens.
    public enum Schedule: Sendable, Hashable {
        /// Once, at a time from the start, or anywhere up to `spread` before or after it.
        case once(at: Duration, spread: Duration)
        /// At `from`, and then every `period` up to and including `until`; nil: to the end.
        case every(Duration, from: Duration, until: Duration?)
        /// When the command has ended. For expectations only.
        case atEnd
    }

    /// When it happens.
    public var schedule: Schedule
    /// What happens, in this order; at least one.
    public var actions: [ScenarioAction]
    /// After which time it is undone; nil: never.
    public var length: Duration?
    /// How much an interface may carry, from that time on, before it happens; nil: it happens at
    /// that time.
    public var limit: VolumeLimit?
    /// The line of the file.
    public var line: Int?

    /// Makes an entry.
    public init(
        schedule: Schedule, actions: [ScenarioAction], length: Duration? = nil,
        limit: VolumeLimit? = nil, line: Int? = nil
    ) {
        self.schedule = schedule
        self.actions = actions
        self.length = length
        self.limit = limit
        self.line = line
    }

    /// When it happens, as people read it: `6 s`, `6 s + 20 MB of cell0`.
    public var when: String {
        schedule.description + (limit.map { " + \($0)" } ?? "")
    }
}

/// A limit of what an interface carries, both directions together, IP headers included.
public struct VolumeLimit: Sendable, Hashable, CustomStringConvertible {
    /// The name of the interface.
    public var interface: String
    /// So much it carries.
    public var volume: ByteCount

    /// Makes a limit.
    public init(interface: String, volume: ByteCount) {
        self.interface = interface
        self.volume = volume
    }

    /// As people read it, who pay for volumes by the megabyte: `20 MB of cell0`.
    public var description: String {
        let units: [(name: String, size: UInt64)] = [
            ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000),
        ]
        let unit = units.first { volume.bytes.isMultiple(of: $0.size) }
        let text = unit.map { "\(volume.bytes / $0.size) \($0.name)" } ?? volume.description
        return "\(text) of \(interface)"
    }
}

/// What an entry does.
public enum ScenarioAction: Sendable, Hashable {
    /// Changes the conditions of an interface, by a ramp if `over` is not zero.
    case change(interface: String, ConditionsChange, over: Duration)
    /// Takes the carrier and the addresses away, or gives them back.
    case carrier(interface: String, isUp: Bool)
    /// Makes an interface appear or vanish.
    case presence(interface: String, isPresent: Bool)
    /// Changes those things that apps see of an interface which are not nil.
    case override(interface: String, InterfaceOverride)
    /// Makes an interface the most preferred one.
    case prefer(interface: String)
    /// Does something to the app.
    case app(AppAction)
    /// Runs a command of the shell beside the app, without waiting for it.
    case execute(String)
    /// Says what must be so.
    case expect(Expectation)

    /// The interface that it is about; nil if it is about the app.
    public var interface: String? {
        switch self {
        case .change(let interface, _, _), .carrier(let interface, _),
            .presence(let interface, _), .override(let interface, _), .prefer(let interface):
            interface
        case .app, .execute, .expect: nil
        }
    }
}

/// What can happen to the app.
public enum AppAction: Sendable, Hashable {
    /// All its processes stand still.
    case suspend
    /// They go on.
    case resume
    /// All its processes are ended, by SIGTERM and, when they do not heed it, SIGKILL.
    case terminate
    /// The command is started again, after ending what still runs of it.
    case relaunch
    /// All its processes get this signal.
    case signal(Int32)
}

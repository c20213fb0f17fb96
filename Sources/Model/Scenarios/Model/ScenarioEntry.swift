public import LinkModel
public import LinkUnits

/// One entry of a scenario's timeline: when and what.
public struct ScenarioEntry: Sendable, Hashable {
    /// When an entry happens.
    public enum Schedule: Sendable, Hashable {
        /// Once, at a time from the start, randomly up to `spread` earlier or later.
        case once(at: Duration, spread: Duration)
        /// At `from`, and then every `period` up to and including `until`; nil: to the end.
        case every(Duration, from: Duration, until: Duration?)
        /// After the command has ended. For expectations only.
        case atEnd
    }

    /// When it happens.
    public var schedule: Schedule
    /// The device of its actions on an app, its commands and its expectations; nil: the only one.
    public var device: String?
    /// The actions, in this order; at least one.
    public var actions: [ScenarioAction]
    /// When it is undone, counted from its start; nil: never.
    public var length: Duration?
    /// The volume that an interface carries after the scheduled time before the entry happens; nil:
    /// it happens at the scheduled time.
    public var limit: VolumeLimit?
    /// The line in the file.
    public var line: Int?

    /// Makes an entry.
    public init(
        schedule: Schedule, device: String? = nil, actions: [ScenarioAction],
        length: Duration? = nil, limit: VolumeLimit? = nil, line: Int? = nil
    ) {
        self.schedule = schedule
        self.device = device
        self.actions = actions
        self.length = length
        self.limit = limit
        self.line = line
    }

    /// When it happens, for people: `6 s`, `6 s + 20 MB of cell0`.
    public var when: String {
        schedule.description + (limit.map { " + \($0)" } ?? "")
    }
}

/// A limit on the volume that an interface carries, both directions together, including IP headers.
public struct VolumeLimit: Sendable, Hashable, CustomStringConvertible {
    /// The name of the interface.
    public var interface: String
    /// The volume.
    public var volume: ByteCount

    /// Makes a limit.
    public init(interface: String, volume: ByteCount) {
        self.interface = interface
        self.volume = volume
    }

    /// In megabytes, the unit in which people pay for volume: `20 MB of cell0`.
    public var description: String {
        let units: [(name: String, size: UInt64)] = [
            ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000),
        ]
        let unit = units.first { volume.bytes.isMultiple(of: $0.size) }
        let text = unit.map { "\(volume.bytes / $0.size) \($0.name)" } ?? volume.description
        return "\(text) of \(interface)"
    }
}

/// An action of an entry.
public enum ScenarioAction: Sendable, Hashable {
    /// Changes the conditions of an interface, as a ramp if `over` is not zero.
    case change(interface: String, ConditionsChange, over: Duration)
    /// Removes the carrier and the addresses, or restores them.
    case carrier(interface: String, isUp: Bool)
    /// Makes an interface appear or vanish.
    case presence(interface: String, isPresent: Bool)
    /// Changes the properties that apps see of an interface; nil properties stay.
    case override(interface: String, InterfaceOverride)
    /// Makes an interface the most preferred.
    case prefer(interface: String)
    /// Does something to the app.
    case app(AppAction)
    /// Runs a shell command beside the app without waiting for it.
    case execute(String)
    /// States what must hold.
    case expect(Expectation)

    /// The interface that the action concerns; nil if it concerns the app.
    public var interface: String? {
        switch self {
        case .change(let interface, _, _), .carrier(let interface, _),
            .presence(let interface, _), .override(let interface, _), .prefer(let interface):
            interface
        case .app, .execute, .expect: nil
        }
    }
}

/// An action on the app.
public enum AppAction: Sendable, Hashable {
    /// Stops all its processes.
    case suspend
    /// Continues all its processes.
    case resume
    /// Ends all its processes with SIGTERM, then with SIGKILL those that ignore it.
    case terminate
    /// Ends what still runs of the command and starts it again, with these options.
    case relaunch(LaunchOptions = LaunchOptions())
    /// Sends this signal to all its processes.
    case signal(Int32)
}

import LinuxKernel

/// What is written for a device, in a file or on the command line.
public struct DeviceSettings: Sendable, Hashable {
    /// What it gets; nil: the default.
    public var choice: NetworkChoice?
    /// How long after its arrival; nil: always.
    public var limit: Duration?
    /// What it gets at some times of the day. The first entry in force decides.
    public var schedule: [ScheduleEntry] = []
    /// Whether it is told that the network costs money; nil: as the profile says.
    public var isExpensive: Bool?
    /// Whether it may choose for itself.
    public var mayChoose = true

    /// Nothing.
    public init() {}
}

/// What a device gets now, and why.
struct Decision: Sendable, Hashable {
    /// Who decided.
    enum Reason: String, Sendable, Hashable, Codable {
        case `default`, settings, schedule, page, command
    }

    var choice: NetworkChoice
    var reason: Reason
    /// When it ends, by `KernelClock.monotonic`, if that is known.
    var until: Duration?
    /// The time of day at which its schedule's entry ends.
    var scheduledEnd: TimeOfDay?
    /// Whether the device is told that the network costs money.
    var isExpensive: Bool

    /// Decides. An administrator comes first, then the schedule, then the device's own choice, then
    /// what is written for it, and last the default.
    init(
        for device: Device, _ settings: DeviceSettings, default standard: NetworkChoice,
        now: Duration, local: LocalTime
    ) {
        let wish = device.wish.flatMap { wish in wish.until.map { $0 > now } ?? true ? wish : nil }
        if let wish, !wish.isFromPage {
            self.init(wish.choice, .command, settings, until: wish.until)
        } else if let entry = settings.schedule.first(where: { $0.isInForce(at: local) }) {
            self.init(entry.choice, .schedule, settings)
            scheduledEnd = entry.until
        } else if let wish {
            self.init(wish.choice, .page, settings, until: wish.until)
        } else if let choice = settings.choice,
            settings.limit.map({ device.arrival + $0 > now }) ?? true
        {
            self.init(
                choice, .settings, settings, until: settings.limit.map { device.arrival + $0 })
        } else {
            self.init(standard, .default, settings)
        }
    }

    private init(
        _ choice: NetworkChoice, _ reason: Reason, _ settings: DeviceSettings,
        until: Duration? = nil
    ) {
        self.choice = choice
        self.reason = reason
        self.until = until
        isExpensive = settings.isExpensive ?? choice.isExpensive
    }
}

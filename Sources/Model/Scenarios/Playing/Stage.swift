public import LinkModel
public import LinkUnits

/// Where a timeline is played: a sandbox, a host, or a test double.
///
/// No method blocks longer than its change takes.
public protocol Stage {
    /// The time since the start of the command.
    var now: Duration { get }

    /// Sets the conditions of an interface's link without losing queued packets. `profile` is their
    /// display name.
    mutating func change(
        _ interface: String, to conditions: LinkConditions, profile: String
    ) throws(StageError)
    /// Removes the carrier and the addresses, or restores them.
    mutating func setCarrier(_ interface: String, isUp: Bool) throws(StageError)
    /// Makes an interface appear or vanish.
    mutating func setPresence(_ interface: String, isPresent: Bool) throws(StageError)
    /// Replaces all overrides of an interface.
    mutating func override(_ interface: String, with settings: InterfaceOverride) throws(StageError)
    /// Makes an interface the most preferred.
    mutating func prefer(_ interface: String) throws(StageError)
    /// The bytes that an interface's link has carried so far, in both directions.
    mutating func carried(by interface: String) throws(StageError) -> ByteCount
    // The device in the following is nil if there is only one.

    /// Performs an action on the app of a device.
    mutating func perform(_ action: AppAction, on device: String?) throws(StageError)
    /// Starts a shell command beside the app without waiting for it.
    mutating func execute(_ command: String, on device: String?) throws(StageError)
    /// What the app sees of the network.
    mutating func path(on device: String?) throws(StageError) -> SeenPath
    /// Starts a shell command beside the app as a check; returns an identifier for asking how it
    /// ended.
    mutating func startCheck(_ command: String, on device: String?) throws(StageError) -> Int32
    /// The exit code of a check; nil while it runs.
    mutating func exitCode(ofCheck check: Int32) -> Int32?
    /// Kills a check.
    mutating func abandonCheck(_ check: Int32)
}

/// What an app sees of the network, as far as expectations check it.
public struct SeenPath: Sendable, Hashable {
    /// Whether there is a path.
    public var status: Expectation.PathStatus
    /// Whether it is expensive.
    public var isExpensive: Bool
    /// Whether it is in Low Data Mode.
    public var isConstrained: Bool
    /// The most preferred usable interface; nil if there is none.
    public var interface: String?

    /// Makes a description.
    public init(
        status: Expectation.PathStatus, isExpensive: Bool = false, isConstrained: Bool = false,
        interface: String? = nil
    ) {
        self.status = status
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.interface = interface
    }
}

/// Why a stage cannot do what an event asks for.
public struct StageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence.
    public let description: String

    /// Makes an error.
    public init(_ description: String) {
        self.description = description
    }
}

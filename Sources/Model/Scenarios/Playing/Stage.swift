public import LinkModel
public import LinkUnits

/// Where a timeline is played: a sandbox, a host, or what a test has in place of them.
///
/// Nothing in here waits, but for the time that a change takes.
public protocol Stage {
    /// The time since the start of the command.
    var now: Duration { get }

    /// Gives the link of an interface these conditions; no queued packet is lost. `profile` is what
    /// people call them.
    mutating func change(
        _ interface: String, to conditions: LinkConditions, profile: String
    ) throws(StageError)
    /// Takes the carrier and the addresses away, or gives them back.
    mutating func setCarrier(_ interface: String, isUp: Bool) throws(StageError)
    /// Makes an interface appear or vanish.
    mutating func setPresence(_ interface: String, isPresent: Bool) throws(StageError)
    /// Gives an interface these settings in place of all that it had.
    mutating func override(_ interface: String, with settings: InterfaceOverride) throws(StageError)
    /// Makes an interface the most preferred one.
    mutating func prefer(_ interface: String) throws(StageError)
    /// How much has passed over the link of an interface until now, in both directions.
    mutating func carried(by interface: String) throws(StageError) -> ByteCount
    /// Does something to the app.
    mutating func perform(_ action: AppAction) throws(StageError)
    /// Starts a command of the shell beside the app, for which nobody waits.
    mutating func execute(_ command: String) throws(StageError)
    /// What the app sees of the network.
    mutating func path() throws(StageError) -> SeenPath
    /// Starts a command of the shell beside the app that answers a question; returns a number by
    /// which the caller asks how it ended.
    mutating func startCheck(_ command: String) throws(StageError) -> Int32
    /// The exit code of such a command; nil while it runs.
    mutating func exitCode(ofCheck check: Int32) -> Int32?
    /// Kills such a command.
    mutating func abandonCheck(_ check: Int32)
}

/// What an app sees of the network, as far as expectations ask.
public struct SeenPath: Sendable, Hashable {
    /// Whether there is a way.
    public var status: Expectation.PathStatus
    /// Whether it costs money.
    public var isExpensive: Bool
    /// Whether it is in Low Data Mode.
    public var isConstrained: Bool
    /// The most preferred usable interface; nil if there is none.
    public var interface: String?

    /// Describes what is seen.
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

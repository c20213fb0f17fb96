/// What must hold at a time; nil: not checked.
public struct Expectation: Sendable, Hashable {
    /// Whether the network is reachable, as in `NetworkPath.Status`.
    public enum PathStatus: String, Sendable, Hashable, CaseIterable {
        case satisfied
        case unsatisfied
    }

    /// How a command ends.
    public enum Exit: Sendable, Hashable {
        case code(Int32)
        case nonzero
    }

    /// A shell command that must succeed.
    public struct Command: Sendable, Hashable {
        /// The command.
        public var text: String
        /// How long to retry it; zero: one attempt.
        public var limit: Duration

        /// Makes a command.
        public init(text: String, limit: Duration) {
            self.text = text
            self.limit = limit
        }
    }

    /// Whether there is a path to the network.
    public var status: PathStatus?
    /// Whether the path is expensive.
    public var isExpensive: Bool?
    /// Whether the path is in Low Data Mode.
    public var isConstrained: Bool?
    /// The most preferred usable interface.
    public var interface: String?
    /// How the app's last run ends; for expectations at the end only.
    public var exit: Exit?
    /// The command that must succeed.
    public var command: Command?

    /// Makes an expectation.
    public init(
        status: PathStatus? = nil, isExpensive: Bool? = nil, isConstrained: Bool? = nil,
        interface: String? = nil, exit: Exit? = nil, command: Command? = nil
    ) {
        self.status = status
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.interface = interface
        self.exit = exit
        self.command = command
    }
}

/// What must be so at a time; nil: not asked.
public struct Expectation: Sendable, Hashable {
    /// Whether there is a way to the network, as `NetworkPath.Status` has it.
    public enum PathStatus: String, Sendable, Hashable, CaseIterable {
        case satisfied
        case unsatisfied
    }

    /// How a command ends.
    public enum Exit: Sendable, Hashable {
        case code(Int32)
        case nonzero
    }

    /// A command of the shell that has to succeed.
    public struct Command: Sendable, Hashable {
        /// The command.
        public var text: String
        /// For how long it is tried again and again; zero: once.
        public var limit: Duration

        /// Makes a command.
        public init(text: String, limit: Duration) {
            self.text = text
            self.limit = limit
        }
    }

    /// Whether the network path is there.
    public var status: PathStatus?
    /// Whether it costs money.
    public var isExpensive: Bool?
    /// Whether it is in Low Data Mode.
    public var isConstrained: Bool?
    /// The most preferred usable interface.
    public var interface: String?
    /// How the app's last incarnation ends; only at the end.
    public var exit: Exit?
    /// What has to succeed.
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

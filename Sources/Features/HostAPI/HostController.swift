/// What the API of a host needs of the host.
public protocol HostController: Sendable {
    /// Runs `linkcond` with these words.
    func run(_ arguments: [String]) async throws -> CommandResult
    /// Starts `linkcond` with these words; it ends with this process.
    func start(_ arguments: [String]) async throws -> StartedCommand
    /// The page at a path; nil if there is no file, or it is too large to be one.
    func report(at path: String) async throws -> [UInt8]?
    /// The lines of `linkcond serve-feed`; with a process, those of the run that it is in. Equal feeds
    /// are shared, and end when nobody listens.
    func feed(of process: Int32?) async throws -> AsyncStream<String>
}

/// How `linkcond` ended.
public struct CommandResult: Sendable, Hashable {
    /// The exit code.
    public var exitCode: Int32
    /// Standard output.
    public var output: String
    /// The lines of standard error.
    public var messages: [String]

    /// Describes an end.
    public init(exitCode: Int32, output: String = "", messages: [String] = []) {
        self.exitCode = exitCode
        self.output = output
        self.messages = messages
    }
}

/// A `linkcond` that goes on.
public struct StartedCommand: Sendable {
    /// Its process ID.
    public var process: Int32
    /// The lines of standard error, until it ends.
    public var lines: AsyncStream<String>
    /// Asks it to end, as Ctrl-C does.
    public var interrupt: @Sendable () -> Void
    /// Waits for its end; the exit code.
    public var exitCode: @Sendable () async -> Int32

    /// Describes one.
    public init(
        process: Int32, lines: AsyncStream<String>, interrupt: @escaping @Sendable () -> Void,
        exitCode: @escaping @Sendable () async -> Int32
    ) {
        self.process = process
        self.lines = lines
        self.interrupt = interrupt
        self.exitCode = exitCode
    }
}

/// What the API of a host needs of the host.
public protocol HostController: Sendable {
    /// Runs `linkcond` with these words.
    func run(_ arguments: [String]) async throws -> CommandResult
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

public import LinuxKernel
public import Scenarios
public import SystemPackage

/// Where a command of a scenario runs, and as whom.
public struct CommandSurroundings: Sendable {
    /// The network namespace.
    public var network: FileDescriptor
    /// The user; nil: the caller.
    public var identity: Program.Identity?
    /// Environment variables, in addition to the caller's.
    public var variables: [String: String]

    /// Describes surroundings.
    public init(
        network: FileDescriptor, identity: Program.Identity?, variables: [String: String] = [:]
    ) {
        self.network = network
        self.identity = identity
        self.variables = variables
    }
}

/// A scenario's commands beside the app, each in its own session, which distinguishes them from the
/// app.
public struct ScenarioCommands {
    /// Background commands, by process ID.
    private var commands: [Int32: String] = [:]
    /// How checks ended, by process ID; nil: still running.
    private var checks: [Int32: ProcessEnd?] = [:]

    /// Prepares to start commands.
    public init() {}

    /// Starts a background command; returns its session ID.
    public mutating func start(
        _ command: String, in surroundings: CommandSurroundings
    ) throws(StageError) -> Int32 {
        let process = try launch(command, surroundings)
        commands[process] = command
        return process
    }

    /// Starts a check; returns its session ID.
    public mutating func startCheck(
        _ command: String, in surroundings: CommandSurroundings
    ) throws(StageError) -> Int32 {
        let process = try launch(command, surroundings)
        checks.updateValue(nil, forKey: process)
        return process
    }

    /// How a check ended, which is then forgotten; nil while it runs.
    public mutating func takeEnd(ofCheck process: Int32) -> ProcessEnd? {
        guard let end = checks[process] ?? nil else { return nil }
        checks.removeValue(forKey: process)
        return end
    }

    /// Kills a command and its descendants.
    public mutating func abandon(_ process: Int32) {
        checks.removeValue(forKey: process)
        Process.killGroup(of: process)
    }

    /// Records the end of a process; returns a note for the user, if any.
    public mutating func ended(_ process: Int32, _ end: ProcessEnd) -> String? {
        if checks.keys.contains(process) {
            checks[process] = end
            return nil
        }
        guard let command = commands.removeValue(forKey: process), end != .exited(0) else {
            return nil
        }
        return "\(command): the command of the scenario ended with \(end.text)"
    }

    /// Its output goes to standard error, because standard output is the app's.
    private func launch(
        _ command: String, _ surroundings: CommandSurroundings
    ) throws(StageError) -> Int32 {
        var program = Program("/bin/sh", ["-c", command])
        program.network = surroundings.network
        program.identity = surroundings.identity
        program.variables = surroundings.variables
        program.startsSession = true
        program.streams = [Program.nothing, .standardError, .standardError]
        do {
            return try program.start()
        } catch {
            throw StageError("\(command): cannot be started: \(error.errno)")
        }
    }
}

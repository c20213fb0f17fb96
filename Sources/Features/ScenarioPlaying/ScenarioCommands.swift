public import LinuxKernel
public import Scenarios
public import SystemPackage

/// The commands that a scenario runs beside the app: in its network, each in a session of its own,
/// by which it is known that it is not the app.
public struct ScenarioCommands {
    /// The network namespace in which they run.
    public let network: FileDescriptor
    let identity: Program.Identity?
    /// Commands for which nobody waits, by their process.
    private var commands: [Int32: String] = [:]
    /// How commands ended that answer a question; nil: not yet.
    private var checks: [Int32: ProcessEnd?] = [:]

    /// Starts commands in a network namespace as the caller or another user.
    public init(network: FileDescriptor, identity: Program.Identity?) {
        self.network = network
        self.identity = identity
    }

    /// Starts a command for which nobody waits; returns its session.
    public mutating func start(_ command: String) throws(StageError) -> Int32 {
        let process = try launch(command)
        commands[process] = command
        return process
    }

    /// Starts a command that answers a question; returns its session.
    public mutating func startCheck(_ command: String) throws(StageError) -> Int32 {
        let process = try launch(command)
        checks.updateValue(nil, forKey: process)
        return process
    }

    /// How a command ended that answers a question; nil if it runs. It is forgotten then.
    public mutating func takeEnd(ofCheck process: Int32) -> ProcessEnd? {
        guard let end = checks[process] ?? nil else { return nil }
        checks.removeValue(forKey: process)
        return end
    }

    /// Kills a command and what it has started.
    public mutating func abandon(_ process: Int32) {
        checks.removeValue(forKey: process)
        Process.killGroup(of: process)
    }

    /// Takes note of the end of a process; returns what the user should know of it.
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

    /// What it prints goes to standard error: standard output is the app's.
    private func launch(_ command: String) throws(StageError) -> Int32 {
        var program = Program(["/bin/sh", "-c", command].map { RawText($0) })
        program.network = network
        program.identity = identity
        program.startsSession = true
        do {
            let null = try FileDescriptor.open(
                FilePath("/dev/null"), .readOnly, options: .closeOnExec)
            defer { try? null.close() }
            program.streams = [null, .standardError, .standardError]
            return try program.start()
        } catch {
            let reason = (error as? Program.Failure)?.errno ?? (error as? Errno) ?? .ioError
            throw StageError("\(command): cannot be started: \(reason)")
        }
    }
}

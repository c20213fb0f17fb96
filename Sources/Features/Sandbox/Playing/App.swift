import Glibc
import LinuxKernel
import Scenarios

/// The command of a device over its restarts: a scenario may suspend it, end it and start it
/// again, with all its descendants.
final class App {
    /// Starts the command and returns its process ID.
    typealias Launch = (LaunchOptions) throws(SandboxError) -> Int32

    private let launch: Launch
    private var processes: AppProcesses
    /// The options of the scenario's last relaunch.
    private(set) var options = LaunchOptions()
    /// The command, while it runs.
    private(set) var command: Int32?
    /// The exit code of the command's last run.
    private(set) var exitCode: Int32 = 0
    /// Whether a signal from outside asked it to end, so that nothing is restarted.
    private(set) var isInterrupted = false
    private var isSuspended = false
    private var ending: Ending?

    /// The state between the request to end and the end.
    private struct Ending {
        /// When the processes are killed; nil: they were.
        var deadline: Duration?
        /// Whether the command is started again afterwards.
        var isFollowedByLaunch = false
    }

    /// An app that does not run yet.
    init(_ processes: AppProcesses, launch: @escaping Launch) {
        self.processes = processes
        self.launch = launch
    }

    /// Starts the command.
    func start() throws(SandboxError) { command = try launch(options) }

    /// Whether neither the command runs nor a restart is pending.
    var isOver: Bool { command == nil && ending == nil }

    /// Excludes a session from the app.
    func exclude(session: Int32) { processes.exclude(session: session) }

    /// Stops all processes.
    func suspend() throws(SandboxError) {
        try requireRunning()
        processes.halt(SIGSTOP)
        isSuspended = true
    }

    /// Continues all processes.
    func resume() throws(SandboxError) {
        try requireRunning()
        processes.signal(SIGCONT)
        isSuspended = false
    }

    /// Sends a signal to all processes.
    func signal(_ number: Int32) throws(SandboxError) {
        try requireRunning()
        processes.signal(number)
    }

    /// Asks all processes to end, and kills those that do not in time. Suspended processes could
    /// not handle the request and are killed at once, as on phones.
    func terminate() throws(SandboxError) {
        guard ending == nil else { return }
        guard command != nil || !processes.all.isEmpty else {
            throw SandboxError("the app does not run")
        }
        end()
    }

    /// Ends what is left; the next `turn` after that starts the command again.
    func relaunch(_ options: LaunchOptions) {
        if ending == nil { end() }
        ending?.isFollowedByLaunch = true
        self.options = options
    }

    /// Passes a signal from outside on to the command.
    func pass(signal number: Int32) {
        takeNote(ofSignal: number)
        if let command { Process.signal(number, to: command) }
    }

    /// Records a signal from outside that the command has received. A request to end ends the run.
    func takeNote(ofSignal number: Int32) {
        guard Self.endingSignals.contains(number) else { return }
        isInterrupted = true
        ending?.isFollowedByLaunch = false
        // Who is suspended would not see it.
        processes.signal(SIGCONT)
    }

    /// Signals that ask a run to end.
    static let endingSignals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGKILL]

    /// Records the end of a process.
    func ended(_ process: Int32, _ end: ProcessEnd) {
        guard process == command else { return }
        command = nil
        exitCode = end.shellCode
    }

    /// Whether the command has been stopped since the last call, by itself or at its terminal and
    /// not by the scenario.
    func takeStop() -> Bool {
        guard let command, Process.takeStop(of: command) else { return false }
        return !isSuspended && ending == nil
    }

    /// Follows the shell, which has continued the sandbox's process group: the command may be in
    /// another one.
    func followShell() {
        if isSuspended { return processes.halt(SIGSTOP) }
        guard let command, Process.isStopped(command) else { return }
        Process.continueGroup(of: command)
    }

    /// Does what is due and returns when to call again; nil: when a process has ended.
    func turn() throws(SandboxError) -> Duration? {
        guard let ending else { return nil }
        if command == nil && processes.all.isEmpty {
            self.ending = nil
            isSuspended = false
            if ending.isFollowedByLaunch { try start() }
            return nil
        }
        guard let deadline = ending.deadline else { return nil }
        let now = KernelClock.monotonic
        guard deadline <= now else { return deadline - now }
        kill()
        return nil
    }

    private func end() {
        // A signal that the command survived was not meant to end it.
        isInterrupted = false
        ending = Ending(deadline: KernelClock.monotonic + SandboxRequest.terminationPatience)
        if isSuspended { kill() } else { processes.signal(SIGTERM) }
    }

    private func kill() {
        ending?.deadline = nil
        processes.halt(SIGKILL)
    }

    private func requireRunning() throws(SandboxError) {
        guard command != nil, ending == nil else { throw SandboxError("the app does not run") }
    }
}

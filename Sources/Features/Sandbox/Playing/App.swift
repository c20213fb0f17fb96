import Glibc
import LinuxKernel

/// The command of a sandbox through its lives: a scenario may suspend it, end it and start it
/// again, with all processes that came of it.
final class App {
    /// Starts the command and returns its process ID.
    typealias Launch = () throws(SandboxError) -> Int32

    private let launch: Launch
    private(set) var processes: AppProcesses
    /// The command, while it runs.
    private(set) var command: Int32?
    /// How the command ended the last time.
    private(set) var exitCode: Int32 = 0
    /// Whether it was told from outside to end, and nothing is to be started again.
    private(set) var isInterrupted = false
    private var isSuspended = false
    private var ending: Ending?

    /// What goes on between the request to end and the end.
    private struct Ending {
        /// When the processes are killed; nil: they were.
        var deadline: Duration?
        /// Whether the command is started again afterwards.
        var isFollowedByLaunch = false
    }

    /// Starts the command.
    init(_ processes: AppProcesses, launch: @escaping Launch) throws(SandboxError) {
        self.processes = processes
        self.launch = launch
        command = try launch()
    }

    /// Whether neither the command runs nor anything that is to end before it is started again.
    var isOver: Bool { command == nil && ending == nil }

    /// Leaves a session out of the app.
    func exclude(session: Int32) { processes.exclude(session: session) }

    /// All processes stand still.
    func suspend() throws(SandboxError) {
        try requireRunning()
        processes.halt(SIGSTOP)
        isSuspended = true
    }

    /// They go on.
    func resume() throws(SandboxError) {
        try requireRunning()
        processes.signal(SIGCONT)
        isSuspended = false
    }

    /// All processes get a signal.
    func signal(_ number: Int32) throws(SandboxError) {
        try requireRunning()
        processes.signal(number)
    }

    /// All processes are asked to end, and killed when they do not within the patience. Those that
    /// are suspended could not hear it and are killed at once, as phones do it.
    func terminate() throws(SandboxError) {
        guard ending == nil else { return }
        guard command != nil || !processes.all.isEmpty else {
            throw SandboxError("the app does not run")
        }
        end()
    }

    /// Ends what is left, and starts the command again.
    func relaunch() throws(SandboxError) {
        if ending == nil { end() }
        ending?.isFollowedByLaunch = true
        _ = try turn()
    }

    /// Passes a signal from outside on to the command.
    func pass(signal number: Int32) {
        takeNote(ofSignal: number)
        if let command { Process.signal(number, to: command) }
    }

    /// Takes note of a signal from outside that the command has got. One that asks it to end asks
    /// for the end of the run.
    func takeNote(ofSignal number: Int32) {
        guard Self.endingSignals.contains(number) else { return }
        isInterrupted = true
        ending?.isFollowedByLaunch = false
    }

    /// Signals by which a run is asked to end.
    static let endingSignals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGKILL]

    /// Takes note of the end of a process.
    func ended(_ process: Int32, _ end: ProcessEnd) {
        guard process == command else { return }
        command = nil
        exitCode = end.shellCode
    }

    /// Does what is due, and says in how long there may be something again; nil: when a process
    /// has ended.
    func turn() throws(SandboxError) -> Duration? {
        guard let ending else { return nil }
        if command == nil && processes.all.isEmpty {
            self.ending = nil
            isSuspended = false
            if ending.isFollowedByLaunch { command = try launch() }
            return nil
        }
        guard let deadline = ending.deadline else { return nil }
        let now = KernelClock.monotonic
        guard deadline <= now else { return deadline - now }
        kill()
        return nil
    }

    private func end() {
        // What the command has outlived was not meant to end it.
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

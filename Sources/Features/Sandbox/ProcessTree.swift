import FoundationEssentials
import Glibc
import LinkModel
import LinuxKernel
import SystemPackage

/// The processes of a sandbox, as managed by its first process.
final class ProcessTree {
    private let channel: MessageChannel
    private let signals: SignalDescriptor
    private let processes = AppProcesses()
    private var servers: [Int32: String] = [:]
    /// The helpers that serve the buses of the devices.
    private var buses: Set<Int32> = []
    /// Empty until the commands are started.
    private var apps: [App] = []
    /// What else wakes it up while the command runs; `rounds` takes care of it.
    var wakeUps: [FileDescriptor] = []
    /// A server that ended before the command was started.
    private var endedServer: (name: String, end: ProcessEnd)?
    /// How often the supervisor was continued.
    private var continuations: Int32 = 0
    /// How many signals from outside have asked to end.
    private var endRequests = 0
    /// Whether the caller is a job of a shell, which takes the terminal back when the job stops.
    private let isJob: Bool
    /// Whether all processes are being ended.
    private var isEnding = false

    /// Make this in the first process while it is on the far side.
    init(channel: MessageChannel, signals: SignalDescriptor, isJob: Bool) {
        self.channel = channel
        self.signals = signals
        self.isJob = isJob
    }

    /// Starts a server. Its output goes to standard error, because standard output is the
    /// command's.
    func startServer(
        _ server: SandboxRequest.Server, network: FileDescriptor, identity: Program.Identity?
    ) throws {
        var program = Program(server.words)
        program.network = network
        program.identity = identity
        program.streams = [Program.nothing, .standardError, .standardError]
        do {
            servers[try program.start()] = server.name
        } catch {
            throw SandboxError(
                "\(server.name): cannot start the server: \(error.errno)"
                    + ProcessLimit.hint(error.errno))
        }
    }

    /// Watches a helper that serves a bus.
    func adopt(bus process: Int32) { buses.insert(process) }

    /// Waits until servers listen on all of these ports on the far side, where the calling thread
    /// is.
    func waitForServers(at ports: [ServerPort]) throws {
        guard !ports.isEmpty else { return }
        let beginning = KernelClock.monotonic
        let patience = SandboxRequest.serverPatience
        var isSilent = true
        var missing = ports
        let isReady = try wait(until: beginning + patience) {
            missing.removeAll(where: ListedSocket.isServed)
            guard let port = missing.first else { return true }
            try complain(ofMissing: port)
            if isSilent, KernelClock.monotonic - beginning >= SandboxRequest.silence {
                isSilent = false
                channel.send(
                    .note(
                        "waiting for a server at port \(port) (--server-ready), "
                            + "\(patience.components.seconds) s at most"))
            }
            return false
        }
        guard !isReady, let port = missing.first else { return }
        guard endRequests == 0 else {
            throw SandboxError("interrupted while it waited for a server at port \(port)")
        }
        throw SandboxError(
            "nothing listens on port \(port) after \(patience.components.seconds) s; does the server "
                + "of --server use the port that --server-ready names?")
    }

    /// Throws if no server is left that could listen.
    private func complain(ofMissing port: ServerPort) throws(SandboxError) {
        guard let (server, end) = endedServer else { return }
        endedServer = nil
        // A server that became a daemon has left a process there.
        guard end != .exited(0) || processes.onFarSide.isEmpty else { return }
        throw SandboxError(
            "\(server): the server ended (\(end.text)) before it listened on port \(port)")
    }

    /// Waits until `condition` holds and returns whether it does; stops at `deadline` and when a
    /// signal from outside asks to end.
    ///
    /// - Parameter rounds: Other periodic work; returns when it is due again.
    func wait(
        until deadline: Duration, rounds: () -> Duration? = { nil },
        for condition: () throws -> Bool
    ) throws -> Bool {
        let requests = endRequests
        // Short pauses at first for quick conditions; longer ones later cost little.
        var pause = Duration.milliseconds(1)
        while true {
            for (process, end) in reap() { note(process, end) }
            if try condition() { return true }
            let now = KernelClock.monotonic
            guard now < deadline, endRequests == requests else { return false }
            let next = [rounds(), pause, deadline - now].compactMap(\.self).min()
            let ready = Readiness.wait(
                for: [signals.descriptor, channel.descriptor], timeout: next)
            if ready.contains(channel.descriptor) { try receive() }
            pause = min(pause * 2, .milliseconds(20))
        }
    }

    /// Waits until the run is over; passes signals on to the apps.
    ///
    /// - Parameters:
    ///   - performance: The scenario played in the meantime.
    ///   - rounds: Other periodic work; returns when it is due again; nil: never.
    func wait(
        for apps: [App], playing performance: ScenarioPerformance? = nil,
        rounds: () -> Duration? = { nil }
    ) throws(SandboxError) {
        self.apps = apps
        while true {
            for (process, end) in reap() {
                for app in apps { app.ended(process, end) }
                performance?.ended(process, end)
                note(process, end)
            }
            let stopped = apps.filter { $0.takeStop() }
            if !stopped.isEmpty, isJob { channel.send(.stopped(continuations: continuations)) }
            var next = [performance?.turn(), rounds()]
            for app in apps { next.append(try app.turn()) }
            if apps.allSatisfy(\.isOver) {
                guard !apps.contains(where: \.isInterrupted), let performance else { return }
                if performance.isOver() { return }
            }
            let ready = Readiness.wait(
                for: [signals.descriptor, channel.descriptor] + wakeUps,
                timeout: next.compactMap(\.self).min())
            if ready.contains(channel.descriptor) { try receive() }
        }
    }

    // MARK: Ending

    /// Asks the processes on the app's side that have outlived the command to end, and kills them
    /// after `patience`.
    func endApp(within patience: Duration, rounds: () -> Duration?) throws {
        guard Process.hasOthers else { return }
        try end(within: patience, rounds: rounds) { processes.onAppSide(without: buses) }
    }

    /// Asks all other processes to end, and kills them after `patience`.
    func endAll(within patience: Duration) throws {
        isEnding = true
        guard Process.hasOthers else { return }
        try end(within: patience, rounds: { nil }) {
            processes.inSandbox
        }
        Process.endAllOthers()
    }

    private func end(
        within patience: Duration, rounds: () -> Duration?, _ processes: () -> Set<Int32>
    ) throws {
        var left = processes()
        guard !left.isEmpty else { return }
        for process in left {
            Process.terminate(process)
            // A stopped process would not handle the signal.
            Process.signal(SIGCONT, to: process)
        }
        let haveEnded = try wait(until: KernelClock.monotonic + patience, rounds: rounds) {
            left = processes()
            return left.isEmpty
        }
        guard !haveEnded else { return }
        for server in left.compactMap({ servers[$0] }).sorted() {
            channel.send(
                .note(
                    "\(server): the server did not end when it was asked to, and was killed "
                        + "(--server-stop)"))
        }
        _ = try wait(until: KernelClock.monotonic + .seconds(1), rounds: rounds) {
            left = processes()
            for process in left { Process.signal(SIGKILL, to: process) }
            return left.isEmpty
        }
    }

    /// Notes the end of a process for the user.
    private func note(_ process: Int32, _ end: ProcessEnd) {
        guard !isEnding else { return }
        if let server = servers.removeValue(forKey: process) {
            if apps.isEmpty {
                endedServer = (server, end)
            } else {
                channel.send(.note("\(server): the server ended (\(end.text))"))
            }
        }
        guard buses.contains(process) else { return }
        channel.send(
            .note(
                "the sandbox's D-Bus ended (\(end.text)); programs learn nothing more of the "
                    + "network by it"))
    }

    /// Reaps children. Orphans in the PID namespace are children of this process.
    private func reap() -> [(process: Int32, end: ProcessEnd)] {
        while let signal = signals.next() {
            // Another one goes to the supervisor, too, which passes it on.
            if !signal.wasSent { takeNote(ofGroupSignal: signal.number) }
        }
        var ended: [(process: Int32, end: ProcessEnd)] = []
        while let child = Process.reapAny() { ended.append(child) }
        return ended
    }

    /// The command receives the terminal's signals itself.
    private func takeNote(ofGroupSignal number: Int32) {
        if number == SIGCONT {
            for app in apps { app.followShell() }
        } else {
            takeNote(ofSignal: number)
        }
    }

    private func takeNote(ofSignal number: Int32) {
        for app in apps { app.takeNote(ofSignal: number) }
        if App.endingSignals.contains(number) { endRequests += 1 }
    }

    private func receive() throws(SandboxError) {
        switch channel.receiveMessage() {
        case .signal(let number):
            takeNote(ofSignal: number)
            for app in apps { app.pass(signal: number) }
        case .groupSignal(let number):
            if number == SIGCONT { continuations += 1 }
            takeNote(ofGroupSignal: number)
        case nil:
            // The supervisor is gone, and with it everyone who waits for this run.
            Process.exitAtOnce(0)
        default:
            break
        }
    }
}

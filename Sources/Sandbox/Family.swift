import FoundationEssentials
import Glibc
import LinuxKernel
import SystemPackage

/// The processes of a sandbox, as its first process sees them.
final class Family {
    private let channel: MessageChannel
    private let signals: SignalDescriptor
    private var servers: [Int32: String] = [:]
    /// The helper that serves the command's bus.
    private(set) var bus: Int32?
    private var app: App?

    init(channel: MessageChannel, signals: SignalDescriptor) {
        self.channel = channel
        self.signals = signals
    }

    /// Starts a server. What it prints goes to standard error: standard output is the
    /// command's.
    func startServer(
        _ server: SandboxRequest.Server, network: FileDescriptor, identity: Program.Identity?
    ) throws {
        var program = Program(server.words)
        program.network = network
        program.identity = identity
        let null = try FileDescriptor.open(
            FilePath("/dev/null"), .readOnly, options: .closeOnExec)
        program.streams = [null, .standardError, .standardError]
        do {
            servers[try program.start()] = server.name
        } catch {
            throw SandboxError("\(server.name): cannot start the server: \(error.errno)")
        }
        try? null.close()
    }

    /// Watches over the helper that serves the command's bus.
    func adopt(bus process: Int32) { bus = process }

    /// Waits until somebody listens on all of these ports.
    func waitForServers(listeningOn ports: [UInt16]) throws(SandboxError) {
        let clock = ContinuousClock()
        let deadline = clock.now + SandboxRequest.serverPatience
        // A server that is up at once is not kept waiting for a round; a slow one costs little.
        var pause = Duration.milliseconds(1)
        while true {
            let missing = ports.filter { !ListeningPorts.current().contains($0) }
            guard let port = missing.first else { return }
            guard clock.now < deadline else {
                throw SandboxError(
                    "nobody listens on port \(port) after "
                        + "\(SandboxRequest.serverPatience.components.seconds) s; does the server "
                        + "of --server use the port that --server-ready names?")
            }
            let ready = Readiness.wait(
                for: [signals.descriptor, channel.descriptor], timeout: pause)
            if ready.contains(channel.descriptor) { try receive() }
            for (process, end) in reap() {
                guard let command = servers[process] else { continue }
                throw SandboxError(
                    "\(command): the server ended (\(end.text)) before it listened on port "
                        + "\(port)")
            }
            pause = min(pause * 2, .milliseconds(20))
        }
    }

    /// Waits until the run is over and returns the exit code of the app; passes signals on to it.
    ///
    /// - Parameters:
    ///   - performance: the scenario that is played in the meantime.
    ///   - rounds: what else is to be done, which says when it is due again; nil: not any more.
    func wait(
        for app: App, playing performance: ScenarioPerformance? = nil,
        rounds: () -> Duration? = { nil }
    ) throws(SandboxError) -> Int32 {
        self.app = app
        while true {
            for (process, end) in reap() {
                app.ended(process, end)
                performance?.ended(process, end)
                note(process, end)
            }
            let next = [performance?.turn(), try app.turn(), rounds()]
            if app.isOver {
                guard !app.isInterrupted, let performance else { return app.exitCode }
                if performance.isOver(exitCode: app.exitCode) { return app.exitCode }
            }
            let ready = Readiness.wait(
                for: [signals.descriptor, channel.descriptor],
                timeout: next.compactMap(\.self).min())
            if ready.contains(channel.descriptor) { try receive() }
        }
    }

    /// Says what the user should know of the end of a process.
    private func note(_ process: Int32, _ end: ProcessEnd) {
        if let server = servers.removeValue(forKey: process) {
            channel.send(.note("\(server): the server ended (\(end.text))"))
        }
        guard process == bus else { return }
        channel.send(
            .note(
                "the sandbox's D-Bus ended (\(end.text)); programs learn nothing more of the "
                    + "network by it"))
    }

    /// Everybody in the process namespace whose parent has ended is a child of this process.
    private func reap() -> [(process: Int32, end: ProcessEnd)] {
        while let signal = signals.next() {
            // What a terminal sends, the command gets by itself.
            if !signal.wasSent { app?.takeNote(ofSignal: signal.number) }
        }
        var ended: [(process: Int32, end: ProcessEnd)] = []
        while let child = Process.reapAny() { ended.append(child) }
        return ended
    }

    private func receive() throws(SandboxError) {
        switch channel.receiveMessage() {
        case .signal(let number):
            guard let app else { throw SandboxError("interrupted") }
            app.pass(signal: number)
        case nil:
            // The supervisor is gone, and with it everybody who waits for this run.
            Process.exitAtOnce(0)
        default:
            break
        }
    }
}

extension ProcessEnd {
    /// How it ended, for people.
    var text: String {
        switch self {
        case .exited(let code): "exit code \(code)"
        case .killed(let signal): "signal \(signal)"
        }
    }
}

import Glibc
import LinkModel
import LinuxKernel
import Recording
import Scenarios
import SystemPackage
import Uplink

/// The process that the caller sees, in the host's namespaces.
struct Supervisor {
    let request: SandboxRequest
    let network: SandboxNetwork
    let listener: any Sandbox.Listener
    let channel: MessageChannel
    let signals: SignalDescriptor
    let isRootless: Bool
    /// The sandbox's first process; without root the one between, and a message will tell the first.
    let child: Int32

    /// Waits for the end of the run.
    func run() throws -> Sandbox.Outcome {
        var outcome = Sandbox.Outcome(exitCode: 0)
        var deadline = Deadline(request.timeout)
        var firstProcess = isRootless ? 0 : child
        var statistics = ""
        var uplink: UplinkPlan.Connection?
        defer { uplink?.stop() }
        var drain = DrainWatch(listener: listener)
        var continuations: Int32 = 0
        while true {
            let ready = Readiness.wait(
                for: [channel.descriptor, signals.descriptor], timeout: deadline.remaining)
            if let signal = deadline.signalDue() { channel.send(.signal(signal)) }
            while let signal = signals.next() {
                // The command receives the terminal's signals itself.
                if signal.number == SIGCONT { continuations += 1 }
                let isShared = signal.reachesGroup || signal.number == SIGCONT
                channel.send(isShared ? .groupSignal(signal.number) : .signal(signal.number))
            }
            guard ready.contains(channel.descriptor) else { continue }
            switch channel.receiveMessage() {
            case .note(let text): listener.note(text)
            case .explanation(let text): listener.explain(text)
            case .dataPlane(let plane): outcome.dataPlane = plane
            case .statistics(let text, let isLast):
                statistics += text
                if isLast { outcome.statistics = try LinkStatistics(json: statistics) }
            case .failedExpectation(let text):
                outcome.failedExpectations += 1
                listener.fail(text)
            case .commandEnded:
                deadline.settle()
                drain.begin()
            case .drained(let remainder, let milliseconds):
                drain.finish(uplink?.relay, within: .milliseconds(milliseconds), signals, remainder)
            case .unwrittenFile(let text):
                outcome.unwrittenFiles += 1
                listener.note(text)
            case .ended(let code):
                tell(refused: uplink?.relay.refusedConnections ?? 0)
                outcome.statistics?.refusedConnections = uplink?.relay.refusedConnections ?? 0
                if let uplink {
                    uplink.stop()
                    outcome.statistics?.add(uplink: uplink.relay.losses)
                    for note in uplink.relay.notes { listener.note(note) }
                }
                // The kernel is slow to remove the namespaces, but no process is left in them.
                outcome.statistics?.drain = drain.statistics
                outcome.isTimedOut = deadline.hasPassed
                outcome.exitCode = deadline.hasPassed ? Deadline.exitCode : code
                judge(&outcome)
                return outcome
            case .failed(let error):
                return try giveUp(for: error, deadline, outcome)
            case .refused(let error):
                return try giveUp(for: SandboxRefusal(of: error).asError, deadline, outcome)
            case nil:
                throw SandboxError("the sandbox ended before its command did\(endText())")
            case .forked(let process):
                firstProcess = process
            case .built:
                uplink = try connectUplink(to: firstProcess)
            case .stopped(let known):
                // The terminal may have stopped this process, too, and its shell continued it.
                if known == continuations { Process.stopGroup() }
            case .start, .signal, .groupSignal:
                break
            }
        }
    }

    /// Ends a run whose command was not started, for which the caller's time limit may be the reason.
    private func giveUp(
        for error: SandboxError, _ deadline: Deadline, _ outcome: Sandbox.Outcome
    ) throws(SandboxError) -> Sandbox.Outcome {
        guard deadline.hasPassed else { throw error }
        listener.note(error.description)
        var outcome = outcome
        outcome.isTimedOut = true
        outcome.exitCode = Deadline.exitCode
        return outcome
    }

    /// How the first process ended, as the end of a sentence.
    private func endText() -> String {
        guard let code = Process.wait(for: child)?.shellCode else { return "" }
        let hint =
            code == 128 + SIGKILL ? "; the kernel's log (dmesg) tells if memory had run out" : ""
        return ": \(SignalName.exitCodeText(code))\(hint)"
    }

    /// Notes that connections were refused for a reason that no real network has.
    private func tell(refused count: Int) {
        guard count > 0 else { return }
        listener.note(
            "\(count) connection\(count == 1 ? " was" : "s were") refused: linkcond may have no more "
                + "than \(DescriptorLimit.current) descriptors open, two for each connection; "
                + "allow it more with ulimit -n")
    }

    /// Makes failed expectations of the scenario known by the exit code.
    private func judge(_ outcome: inout Sandbox.Outcome) {
        guard outcome.exitCode == 0, outcome.failedExpectations > 0 else { return }
        outcome.exitCode = 1
    }

    private func connectUplink(to process: Int32) throws -> UplinkPlan.Connection? {
        let sockets = try RelaySockets.receive(from: channel.descriptor)
        let connection = try UplinkPlan(request.uplink)?
            .connect(
                sockets, network.farNetwork(request), process: process,
                isRootless: isRootless)
        channel.send(.start)
        if connection != nil, let note = HostFamilies.note(on: request.networkFamilies) {
            listener.note(note)
        }
        return connection
    }
}

/// What happens between the command's end and the arrival of its data.
private struct DrainWatch {
    let listener: any Sandbox.Listener
    private(set) var statistics = DrainStatistics()
    private var beginning = ContinuousClock.now

    init(listener: any Sandbox.Listener) { self.listener = listener }

    mutating func begin() { beginning = .now }

    /// Lets the relay deliver what it has, and notes what did not arrive.
    ///
    /// It waits at most `limit`, and only until a signal asks to end.
    mutating func finish(
        _ relay: Relay?, within limit: Duration, _ signals: SignalDescriptor,
        _ remainder: Drain.Remainder
    ) {
        var relayed = remainder.relayed
        if let relay {
            relay.finish(within: limit)
            wait(for: relay, within: limit, signals)
            // The relay counts connections that the app's side has given up, but not those whose
            // request has not reached it yet.
            relayed = max(relayed, relay.resetConnections)
        }
        statistics.undeliveredConnections = remainder.connections + relayed
        statistics.undeliveredPackets = remainder.packets
        statistics.seconds = (ContinuousClock.now - beginning) / .seconds(1)
        if let note = statistics.note { listener.note(note) }
    }

    private func wait(
        for relay: Relay, within limit: Duration, _ signals: SignalDescriptor
    ) {
        let noteTime = ContinuousClock.now + SandboxRequest.silence
        var isSilent = true
        while true {
            let timeout = isSilent ? max(.zero, noteTime - .now) : nil
            let ready = Readiness.wait(for: [relay.end, signals.descriptor], timeout: timeout)
            guard !ready.contains(relay.end) else { return }
            while let signal = signals.next() {
                if App.endingSignals.contains(signal.number) { relay.finish(within: .zero) }
            }
            if isSilent, noteTime <= .now {
                isSilent = false
                listener.note(
                    "the command has ended; waiting until the hosts that it sent to have taken all; "
                        + "\(limit.components.seconds) s at most (--drain)")
            }
        }
    }
}

/// Signals to `linkcond run` that the first process has to know of.
enum PassedOnSignals {
    /// Those that are meant for the command, and that of a shell that continues the job.
    static let all = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT]
}

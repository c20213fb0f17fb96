import Evidence
import Glibc
import LinuxKernel
import SystemPackage
import Uplink

/// The process that the caller sees: it stays in the host's namespaces.
struct Supervisor<Listener: Sandbox.Listener> {
    let request: SandboxRequest
    let network: SandboxNetwork
    let listener: Listener
    let channel: MessageChannel
    let signals: SignalDescriptor
    let isRootless: Bool

    /// Waits for the run to end.
    func run() throws -> Sandbox.Outcome {
        var outcome = Sandbox.Outcome(exitCode: 0)
        var deadline = Deadline(request.timeout)
        var firstProcess: Int32 = 0
        var statistics = ""
        var uplink: UplinkPlan.Connection?
        defer { uplink?.stop() }
        while true {
            let ready = Readiness.wait(
                for: [channel.descriptor, signals.descriptor], timeout: deadline.remaining)
            if let signal = deadline.signalDue() { channel.send(.signal(signal)) }
            while let signal = signals.next() {
                // What a terminal sends, the command gets by itself.
                if signal.wasSent { channel.send(.signal(signal.number)) }
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
            case .ended(let code):
                // The kernel takes its time over the namespaces, but nobody is in them any more.
                outcome.isTimedOut = deadline.hasPassed
                outcome.exitCode = deadline.hasPassed ? Deadline.exitCode : code
                if outcome.exitCode == 0, outcome.failedExpectations > 0 { outcome.exitCode = 1 }
                return outcome
            case .failed(let error):
                throw error
            case nil:
                throw SandboxError("the sandbox ended before its command did")
            case .forked(let process):
                firstProcess = process
            case .built:
                uplink = try connectUplink(to: firstProcess)
            case .start, .signal:
                break
            }
        }
    }

    private func connectUplink(to process: Int32) throws -> UplinkPlan.Connection? {
        let sockets = try RelaySockets.receive(from: channel.descriptor)
        let connection = try UplinkPlan(request.uplink)?
            .connect(
                sockets, network.farNetwork(request.wires(of: network)), process: process,
                isRootless: isRootless)
        channel.send(.start)
        return connection
    }
}

/// Signals that a user or a program sends to `linkcond run` when it means the command.
enum PassedOnSignals {
    static let all = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]
}

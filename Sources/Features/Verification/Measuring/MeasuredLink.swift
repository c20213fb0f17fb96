import LinkModel
import LinkUnits
import LinuxKernel
import Recording
import Sandbox

/// A sandbox with a probe at each end of its link.
struct MeasuredLink {
    /// The measurement.
    let measurement: LinkMeasurement
    /// The directory of the plan and the reports.
    let directory: String
    /// Takes why this data plane, and other explanations for the user, when the link is set up.
    let explain: (String) -> Void

    /// Information about the link in addition to the probes' reports.
    struct Account: Codable {
        /// The data plane.
        var plane: DataPlaneKind
        /// The accuracy of the emulation, if known.
        var emulation: [Direction: ProbeReport.Emulation] = [:]
        /// Why it was inexact; nil if it was exact.
        var flaw: String?
    }

    /// Makes the sandbox, runs both probes, and returns the information about the link. Requires a
    /// single-threaded process.
    func run() throws(SandboxError) -> Account {
        let network = SandboxNetwork.unused()
        let app = network.families.map(\.app)
        let far = network.families.map(\.server)
        var request = SandboxRequest(
            conditions: measurement.conditions, profile: measurement.profile,
            command: probe(.app, peer: far))
        request.servers = [.program(probe(.far, peer: app))]
        request.uplink = .none
        request.backend = measurement.backend
        request.seed = measurement.seed
        request.tolerance = measurement.tolerance
        request.network = network
        request.recording.wantsStatistics = true
        let outcome = try Sandbox.run(request, listener: Listener(explain: explain))
        guard outcome.exitCode == 0 else {
            throw SandboxError("a probe ended with \(SignalName.exitCodeText(outcome.exitCode))")
        }
        var account = Account(
            plane: outcome.dataPlane, flaw: outcome.statistics?.flaw)
        for (direction, counters) in [
            (Direction.up, outcome.statistics?.up), (.down, outcome.statistics?.down),
        ] {
            account.emulation[direction] = counters.flatMap(ProbeReport.Emulation.init)
        }
        return account
    }

    private func probe(_ role: Rendezvous.Role, peer: [IPAddress]) -> [RawText] {
        [
            Self.sameProgram, "probe", "--role", role.rawValue, "--peer", "\(peer[0])",
            "--peer-ipv6", "\(peer[1])", "--directory", directory,
        ].map { RawText($0) }
    }

    /// Ignores all messages except explanations: the others do not help a reader of measurements.
    private struct Listener: Sandbox.Listener {
        let explain: (String) -> Void
        func note(_ text: String) {}
        func explain(_ text: String) { explain(text) }
        func fail(_ text: String) {}
    }

    /// This program itself, wherever its file is now.
    private static let sameProgram = "/proc/self/exe"
}

extension ProbeReport.Emulation {
    /// The packet engine's counters; nil if the kernel conditioned the link.
    fileprivate init?(_ counters: DirectionCounters) {
        guard let engine = counters.engine else { return nil }
        self.init(
            lateness: (engine.lateness?.p99 ?? 0) / 1000, unwantedDrops: engine.unwantedDrops)
    }
}

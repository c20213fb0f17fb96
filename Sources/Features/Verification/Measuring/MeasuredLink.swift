import LinkModel
import LinkUnits
import LinuxKernel
import Recording
import Sandbox

/// A sandbox with a probe at either end of its link.
struct MeasuredLink {
    /// What is to be measured.
    let measurement: LinkMeasurement
    /// Where the plan is, and where the reports go.
    let directory: String

    /// What is known of the link beside what the probes saw.
    struct Account: Codable {
        /// What carried the conditions out.
        var plane: String
        /// Why that, and what else a user may want to know of it.
        var explanations: [String] = []
        /// How exactly, where that is known.
        var emulation: [Direction: ProbeReport.Emulation] = [:]
        /// Why it was not exact, if it was not.
        var flaw: String?
    }

    /// Makes the sandbox, runs both probes, and returns what there is to know of the link. Requires
    /// a process with a single thread.
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
        request.network = network
        request.recording.wantsStatistics = true
        let listener = Listener()
        let outcome = try Sandbox.run(request, listener: listener)
        guard outcome.exitCode == 0 else {
            throw SandboxError("a probe ended with code \(outcome.exitCode)")
        }
        var account = Account(
            plane: outcome.dataPlane.rawValue, explanations: listener.explanations,
            flaw: outcome.statistics?.flaw)
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

    /// What a run says beside errors is of no use to who reads figures.
    private final class Listener: Sandbox.Listener {
        private(set) var explanations: [String] = []
        func note(_ text: String) {}
        func explain(_ text: String) { explanations.append(text) }
        func fail(_ text: String) {}
    }

    /// This program itself, wherever its file is by now.
    private static let sameProgram = "/proc/self/exe"
}

extension ProbeReport.Emulation {
    /// What the packet engine counted; nil where it was not at work.
    fileprivate init?(_ counters: DirectionCounters) {
        guard let engine = counters.engine else { return nil }
        self.init(
            lateness: (engine.lateness?.p99 ?? 0) / 1000, unwantedDrops: engine.unwantedDrops)
    }
}

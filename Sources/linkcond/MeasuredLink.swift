import FoundationEssentials
import LinuxKernel
import Sandbox
import Verification

/// A sandbox with a probe at either end of its link.
struct MeasuredLink {
    /// What is to be measured.
    let measurement: LinkMeasurement
    /// Where the plan is, and where the reports go.
    let directory: String

    /// Makes the sandbox, runs both probes, and returns what carried the conditions out. Requires
    /// a process with a single thread.
    func run() throws(SandboxError) -> Sandbox.DataPlane {
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
        let outcome = try Sandbox.run(request, listener: Console())
        guard outcome.exitCode == 0 else {
            throw SandboxError("a probe ended with code \(outcome.exitCode)")
        }
        return outcome.dataPlane
    }

    private func probe(_ role: MeetingPlace.Role, peer: [IPAddress]) -> [RawText] {
        [
            Self.sameProgram, "probe", "--role", role.rawValue, "--peer", "\(peer[0])",
            "--peer-ipv6", "\(peer[1])", "--directory", directory,
        ].map { RawText($0) }
    }

    /// This program itself, wherever its file is by now.
    private static let sameProgram = "/proc/self/exe"
}

import FoundationEssentials
import LinuxKernel
import Sandbox

/// The NetworkManager of the host, to which the helper for D-Bus talks.
enum HostNetworkManager {
    /// Where it keeps its state while it runs.
    private static let directory = "/run/NetworkManager"

    /// Has its metered flags be as the overrides of the calling thread's network namespace want
    /// them; the override stands also if that fails.
    static func followOverrides(_ console: Console) {
        guard FileManager.default.fileExists(atPath: directory) else { return }
        guard let helper = OwnProgram.neighbour(SandboxBus.helper) else {
            console.note(
                "NetworkManager is not told: \(SandboxBus.helper) does not lie beside linkcond")
            return
        }
        do {
            let result = try HelperProgram.run(helper, ["metered"], input: "")
            if result.exitCode != 0 {
                console.note("NetworkManager was not told: \(result.message)")
            }
        } catch {
            console.note("NetworkManager was not told: \(error)")
        }
    }
}

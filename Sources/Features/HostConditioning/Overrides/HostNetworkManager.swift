import FoundationEssentials
import LinuxKernel
import Sandbox

/// The NetworkManager of the host, to which the helper for D-Bus talks.
enum HostNetworkManager {
    /// Where it keeps its state while it runs.
    private static let directory = "/run/NetworkManager"

    /// Has its metered flags be as the overrides of the calling thread's network namespace want
    /// them; the override stands also if that fails.
    ///
    /// - Returns: why it was not told; nil if it was, or does not run.
    static func followOverrides() -> String? {
        guard FileManager.default.fileExists(atPath: directory) else { return nil }
        guard let helper = OwnProgram.neighbour(SandboxBus.helper) else {
            return "NetworkManager is not told: \(SandboxBus.helper) is not next to linkcond"
        }
        do {
            let result = try HelperProgram.run(helper, ["metered"], input: "")
            return result.exitCode == 0 ? nil : "NetworkManager was not told: \(result.message)"
        } catch {
            return "NetworkManager was not told: \(error)"
        }
    }
}

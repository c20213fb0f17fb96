import FoundationEssentials
import LinuxKernel
import Sandbox

/// The host's NetworkManager, accessed through the D-Bus helper.
enum HostNetworkManager {
    /// The directory of its runtime state.
    private static let directory = "/run/NetworkManager"

    /// Makes its metered flags follow the overrides of the calling thread's network namespace. The
    /// override stays even if this fails.
    ///
    /// - Returns: Why it failed; nil on success, or if NetworkManager does not run.
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

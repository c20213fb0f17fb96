import ArgumentParser
import DataPlane
import FoundationEssentials
import HostConditioning
import KernelPlane

/// The option that exempts the caller's own SSH session from the conditions.
struct SSHGuardOptions: ParsableArguments {
    @Flag(
        name: .customLong("no-ssh-guard"),
        help: "Also condition the SSH session that runs the command.")
    var noSSHGuard = false

    /// Exempts the session from `selector`, if wanted.
    func apply(to selector: inout TrafficSelector, _ console: Console) throws {
        guard !noSSHGuard else { return }
        let environment = ProcessInfo.processInfo.environment
        if let remark = try SSHGuard.apply(to: &selector, environment: environment) {
            console.explain(remark)
        }
    }
}

import ArgumentParser
import DataPlane
import FoundationEssentials
import HostConditioning
import KernelPlane

/// The option that keeps the caller's own SSH session out of the conditions.
struct SSHGuardOptions: ParsableArguments {
    @Flag(
        name: .customLong("no-ssh-guard"),
        help: "Condition also the SSH session in which the command is given.")
    var noSSHGuard = false

    /// Gives `selector` an exception for the session, if that is wanted.
    func apply(to selector: inout TrafficSelector, _ console: Console) throws {
        guard !noSSHGuard else { return }
        let environment = ProcessInfo.processInfo.environment
        if let remark = try SSHGuard.apply(to: &selector, environment: environment) {
            console.explain(remark)
        }
    }
}

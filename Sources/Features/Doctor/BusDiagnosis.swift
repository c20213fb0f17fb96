import LinuxKernel
import Sandbox

/// What is missing on this host for D-Bus in a sandbox.
enum BusDiagnosis: Sendable, Hashable {
    /// The helper is not next to this program.
    case noHelper
    /// The helper does not run; its error message.
    case brokenHelper(String)
    /// There is no bus daemon.
    case noDaemon

    /// What is missing here; nil if nothing is.
    static func ofThisHost() -> BusDiagnosis? {
        guard let helper = OwnProgram.neighbour(SandboxBus.helper) else { return .noHelper }
        do {
            // Only running it shows whether its libraries are installed.
            let result = try HelperProgram.run(helper, ["--help"], input: "")
            guard result.exitCode == 0 else { return .brokenHelper(result.message) }
        } catch {
            return .brokenHelper("\(error)")
        }
        return HelperProgram.path(of: "dbus-daemon") == nil ? .noDaemon : nil
    }

    /// What this means for the user.
    var detail: String {
        switch self {
        case .noHelper: "\(SandboxBus.helper) is not next to linkcond"
        case .brokenHelper(let message): "\(SandboxBus.helper) does not run: \(message)"
        case .noDaemon: "dbus-daemon is not installed"
        }
    }

    /// How to fix it.
    var fix: String {
        switch self {
        case .noHelper:
            "Build \(SandboxBus.helper) with Scripts/linkcond, and install both together"
        case .brokenHelper: "sudo apt install libsystemd0 libnl-3-200"
        case .noDaemon: "sudo apt install dbus"
        }
    }
}

import ArgumentParser
import FoundationEssentials
import HostConditioning
import LinuxKernel

/// Options that choose whose interfaces are meant.
struct TargetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The interfaces of this network namespace, by its name in ip netns or its path.",
            valueName: "name|path"))
    var netns: String?

    @Option(
        help: ArgumentHelp(
            "The interfaces that the process with this ID sees.", valueName: "pid"))
    var pid: Int32?

    @Option(
        help: ArgumentHelp(
            "The interfaces of this container of Docker, Podman or containerd.",
            valueName: "name|id"))
    var container: String?

    func validate() throws {
        guard targets.count <= 1 else {
            throw ValidationError(
                "--netns, --pid and --container contradict each other; give one of them.")
        }
        if let pid, pid <= 0 { throw ValidationError("--pid \(pid): process IDs begin with 1.") }
    }

    private var targets: [NetworkTarget] {
        [
            netns.map { .namespace($0) }, pid.map { .process($0) },
            container.map { .container($0) },
        ].compactMap { $0 }
    }

    /// Takes the process to the network that is meant, and says which that is.
    ///
    /// Before anything that belongs to a network namespace is opened or started.
    func enter(_ console: Console) throws {
        guard let target = targets.first else { return }
        let network = try target.enter(environment: ProcessInfo.processInfo.environment)
        console.report("in the \(network.label)")
    }

    /// The options as words of a command line.
    var words: [String] {
        (netns.map { ["--netns", $0] } ?? [])
            + (pid.map { ["--pid", "\($0)"] } ?? [])
            + (container.map { ["--container", $0] } ?? [])
    }
}

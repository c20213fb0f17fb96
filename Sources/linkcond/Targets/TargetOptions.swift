import ArgumentParser
import FoundationEssentials
import HostConditioning
import LinuxKernel
import Sandbox

/// Options that select the network namespace.
struct TargetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The interfaces of this network namespace.",
            more: "By its name in ip netns or its path.", valueName: "name|path"),
        completion: .networkNamespaces)
    var netns: String?

    @Option(
        help: ArgumentHelp(
            "The interfaces that this process sees.", valueName: "pid"))
    var pid: Int32?

    @Option(
        help: ArgumentHelp(
            "The interfaces of this container.", more: "Of Docker, Podman or containerd.",
            valueName: "name|id"),
        completion: .containers)
    var container: String?

    func validate() throws {
        guard targets.count <= 1 else {
            throw ValidationError(
                "--netns, --pid and --container contradict each other; give one of them.")
        }
        if let pid, pid <= 0 { throw ValidationError("--pid \(pid): process IDs begin with 1.") }
    }

    /// Whether one of them is given.
    var isGiven: Bool { !targets.isEmpty }

    private var targets: [NetworkTarget] {
        [
            netns.map { .namespace($0) }, pid.map { .process($0) },
            container.map { .container($0) },
        ].compactMap { $0 }
    }

    /// Moves the process to the selected network namespace and reports which one it is.
    ///
    /// Call this before opening or starting anything that belongs to a network namespace.
    ///
    /// - Parameter followsRuns: Whether the process of `linkcond run` stands for its command.
    func enter(_ console: Console, followsRuns: Bool = false) throws {
        guard var target = targets.first else { return }
        if followsRuns, let pid, let process = RunService.processInside(runOf: pid) {
            target = .process(process)
        }
        let network = try target.enter(environment: ProcessInfo.processInfo.environment)
        console.report("in the \(network.label)")
    }

    /// The options as command-line words.
    var words: [String] {
        (netns.map { ["--netns", $0] } ?? [])
            + (pid.map { ["--pid", "\($0)"] } ?? [])
            + (container.map { ["--container", $0] } ?? [])
    }
}

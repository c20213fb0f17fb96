import Glibc
public import LinkModel
import LinuxKernel
import PacketLoop
public import Recording
import SystemPackage
import Uplink

/// Runs a command on its own conditioned network.
///
/// Theory of operation. Two processes share the work. The *supervisor*, which is the caller, stays
/// in the host's namespaces: it passes signals on, connects the uplink to the host's network, and
/// finally returns the command's exit code. The *first process* of a new PID namespace
/// (`FirstProcess`) sets up three network namespaces, joins them (`SandboxNetwork`), conditions the
/// wire between them (`ConditionedWires`), and starts servers and command. Without root, all this
/// happens in a user namespace in which the caller keeps its user ID. Namespaces, interfaces and
/// mounts exist as long as the first process. It dies with the supervisor, and the kernel then
/// kills every process inside. So nothing is left behind however the run ends.
public enum Sandbox {
    /// Receives messages during a run.
    public protocol Listener {
        /// A note that the user should see.
        func note(_ text: String)
        /// An explanation for interested users (verbose).
        func explain(_ text: String)
        /// A failed expectation of a scenario.
        func fail(_ text: String)
    }

    /// How a run ended.
    public struct Outcome: Sendable, Hashable {
        /// The command's exit code; 128 plus the number for a signal; 124 if it exceeded its time
        /// limit; 1 if it was 0 and an expectation failed. If the scenario expects an exit code: 0
        /// if all expectations were met, else 1.
        public var exitCode: Int32
        /// Whether it was ended for exceeding its time limit.
        public var isTimedOut = false
        /// The number of failed expectations.
        public var failedExpectations = 0
        /// How many recorded files could not be written.
        public var unwrittenFiles = 0
        /// The data plane.
        public var dataPlane = DataPlaneKind.engine
        /// The traffic on the link, if requested.
        public var statistics: LinkStatistics?
    }

    /// Runs the command of `request` and waits for it.
    ///
    /// Requires a process with a single thread, and permission to make namespaces: as root, or as
    /// any user if the kernel allows user namespaces. From here on, this process only passes
    /// signals on.
    public static func run(
        _ request: SandboxRequest, listener: any Listener
    ) throws(SandboxError) -> Outcome {
        // Until the first process is on its way; it hurries itself until it starts the command.
        KernelThread.hurry()
        defer { KernelThread.relax() }
        let privilege = SandboxPrivilege.ofCaller
        let isRootless = !privilege.isComplete
        if let obstacle = UplinkPlan(request.uplink)?.obstacle(for: privilege) {
            throw obstacle
        }
        // In a user namespace root cannot become the user behind sudo.
        guard !isRootless || request.identity == nil else {
            throw SandboxError(
                "sudo does not give the privileges for a sandbox here\(privilege.hint); or leave sudo "
                    + "out")
        }
        // Root's command has these privileges already.
        guard isRootless || !request.mapsRoot || request.identity == nil else {
            throw SandboxError(
                "--map-root makes the command root without sudo; leave sudo out", status: .usage)
        }
        if let problem = SandboxInterface.problem(of: request.interfaces) {
            throw SandboxError(problem)
        }
        if let obstacle = request.obstacleOfDevices { throw obstacle }
        var request = request
        request.users = try AppUsers(of: request, isRootless: isRootless)
        // With the rights of the caller, who owns the files, and before anything is built.
        do {
            request.traces = try LoadedTraces(
                readingFor: request.interfaces.map(\.conditions) + request.laterConditions)
        } catch {
            throw SandboxError(
                error.description, status: error.isMalformed ? .badFile : .cannotRead)
        }
        do {
            let signals = try SignalDescriptor(PassedOnSignals.all)
            let (channel, inner) = try MessageChannel.pair()
            let network = request.network ?? .unused()
            let published =
                request.publishedPorts.isEmpty ? nil : try PublishedSockets(request.publishedPorts)
            let first = FirstProcess(
                request: request, network: network, channel: inner, published: published)
            let child = try NamespaceMaker(first: first, isRootless: isRootless)
                .start(closing: channel)
            KernelThread.relax()
            inner.close()
            let supervisor = Supervisor(
                request: request, network: network, listener: listener, channel: channel,
                signals: signals, isRootless: isRootless, child: child)
            // The first process then ends.
            defer { channel.close() }
            return try supervisor.run()
        } catch let error as SandboxError {
            throw error
        } catch let error as KernelError {
            throw SandboxRefusal(of: error).asError
        } catch {
            throw SandboxError("\(error)")
        }
    }
}

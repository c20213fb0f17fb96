import Glibc
public import LinkModel
import LinuxKernel
import PacketLoop
public import Recording
import SystemPackage

/// Runs a command on a conditioned network of its own.
///
/// Theory of operation. Two processes share the work. The *supervisor*, which is the caller,
/// stays in the host's namespaces: it passes signals on, connects the uplink to the host's
/// network, and in the end returns the command's exit code. The *first process* of a new process
/// namespace (`FirstProcess`) makes three network namespaces, joins them (`SandboxNetwork`),
/// conditions the wire between them (`ConditionedWires`), and starts servers and command. Without root
/// all of that happens in a user namespace in which the caller stays who it is. Namespaces,
/// interfaces and mounts exist as long as the first process; that one dies with the supervisor,
/// and with it, by the kernel's hand, every process in there. So nothing is left behind however
/// the run ends.
public enum Sandbox {
    /// What a run says while it goes on.
    public protocol Listener {
        /// Something the user should know.
        func note(_ text: String)
        /// Something the user may want to know.
        func explain(_ text: String)
        /// Something that was not as a scenario expects.
        func fail(_ text: String)
    }

    /// How a run ended.
    public struct Outcome: Sendable, Hashable {
        /// The command's exit code; 128 and the number for a signal; 124 if it ran too long; 1 if
        /// it was 0 and something was not as the scenario expects. Where that expects an exit code,
        /// 0 if all was as it expects, and else 1.
        public var exitCode: Int32
        /// Whether it was ended because it ran too long.
        public var isTimedOut = false
        /// How much was not as the scenario expects.
        public var failedExpectations = 0
        /// How many recorded files could not be written.
        public var unwrittenFiles = 0
        /// What carried the conditions out.
        public var dataPlane = DataPlaneKind.engine
        /// What passed over the link, if that was asked for.
        public var statistics: LinkStatistics?
    }

    /// Runs the command of `request` and waits for it.
    ///
    /// Requires that the process has a single thread, and the right to make namespaces: that of
    /// root, or of anybody where the kernel lets users make user namespaces. From here on signals
    /// do nothing to this process but to be passed on.
    public static func run(
        _ request: SandboxRequest, listener: some Listener
    ) throws(SandboxError) -> Outcome {
        let isRootless = !Privilege.mayMakeNamespaces
        if let obstacle = UplinkPlan(request.uplink)?.obstacle(isRootless: isRootless) {
            throw obstacle
        }
        if let problem = SandboxInterface.problem(of: request.interfaces) {
            throw SandboxError(problem)
        }
        var request = request
        // As the caller, whose files they are, and while nothing is built.
        do {
            request.traces = try LoadedTraces(
                readingFor: request.interfaces.map(\.conditions) + request.laterConditions)
        } catch {
            throw SandboxError(
                error.description, fault: error.isMalformed ? .badFile : .unreadableFile)
        }
        do {
            let signals = try SignalDescriptor(PassedOnSignals.all)
            let (channel, inner) = try MessageChannel.pair()
            let network = request.network ?? .unused()
            guard try Process.fork() != nil else {
                channel.close()
                NamespaceMaker(
                    request: request, network: network, channel: inner, isRootless: isRootless
                ).run()
            }
            inner.close()
            let supervisor = Supervisor(
                request: request, network: network, listener: listener, channel: channel,
                signals: signals, isRootless: isRootless)
            return try supervisor.run()
        } catch let error as SandboxError {
            throw error
        } catch {
            throw SandboxError("\(error)")
        }
    }
}

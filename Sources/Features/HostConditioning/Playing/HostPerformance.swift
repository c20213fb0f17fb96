public import DataPlane
public import DataPlanes
import FoundationEssentials
import Glibc
public import LinkModel
public import LinuxKernel
import ScenarioPlaying
public import Scenarios

/// A scenario that is played on a host, until its end or Ctrl-C; then all is restored.
public struct HostPerformance {
    /// How it is to be played.
    public struct Manner {
        /// The traffic that is conditioned.
        public var selector: TrafficSelector
        /// What carries out the conditions.
        public var backend: Backend
        /// Decides the times that the scenario leaves open, and the fate of the packets; nil:
        /// something else each time.
        public var seed: UInt64?
        /// Whether filters of other programs may see packets first.
        public var isForced: Bool
        /// Whom the scenario's commands run as; nil: the caller.
        public var identity: LinuxKernel.Program.Identity?

        /// Makes a manner.
        public init(
            selector: TrafficSelector, backend: Backend, seed: UInt64?, isForced: Bool,
            identity: LinuxKernel.Program.Identity?
        ) {
            self.selector = selector
            self.backend = backend
            self.seed = seed
            self.isForced = isForced
            self.identity = identity
        }
    }

    private let scenario: Scenario
    /// What ends conditions and overrides with this process, however that ends.
    private let limits: (conditions: TimeLimit, overrides: TimeLimit)
    private let tell: (PlayRemark) -> Void
    private var player: TimelinePlayer
    private var stage: HostStage
    private var narrator: Narrator

    /// Gets ready to play in the network namespace of the calling thread.
    ///
    /// - Parameters:
    ///   - origin: the path of the file, or the name of a built-in scenario.
    ///   - tell: is called with what happens.
    public init(
        _ scenario: Scenario, origin: String, on interfaces: HostInterfaces, _ planes: DataPlanes,
        _ manner: Manner, tell: @escaping (PlayRemark) -> Void
    ) throws {
        let process = ProcessInfo.processInfo.processIdentifier
        limits = (
            TimeLimit(until: nil, process: process), TimeLimit(until: nil, process: process)
        )
        var request = ApplyRequest(
            conditions: .init(), profile: "", selector: manner.selector,
            isForced: manner.isForced, seed: manner.seed, now: Int64(Date().timeIntervalSince1970))
        request.limit = limits.conditions
        stage = HostStage(
            scenario, on: interfaces, planes, request,
            backend: try planes.backend(manner.backend, forAll: scenario.allConditions),
            overrideWatcher: limits.overrides.watcher,
            commands: ScenarioCommands(
                network: try NetworkNamespace.openCurrent(), identity: manner.identity))
        self.scenario = scenario
        self.tell = tell
        let seed = manner.seed ?? UInt64(UInt32.random(in: .min ... .max))
        player = TimelinePlayer(scenario, seed: seed)
        narrator = Narrator(origin: origin)
    }

    /// How it ended.
    public enum End: Sendable, Hashable {
        /// All was as the scenario expects, or not.
        case over(isAsExpected: Bool)
        /// This signal came.
        case interrupted(signal: Int32)
    }

    /// Plays it, and restores the interfaces.
    public mutating func run() throws -> End {
        let signals = try SignalDescriptor([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCHLD])
        let watchers = [
            try Watcher(limits.conditions, after: nil),
            try Watcher(limits.overrides, after: nil, ends: .overrides),
        ]
        let result = Result { try play(signals, watchers) }
        try stage.end(conditionsWatcher: limits.conditions.watcher)
        let signal = try result.get()
        if let conclusion = narrator.conclusion { tell(conclusion) }
        if let signal { return .interrupted(signal: signal) }
        return .over(isAsExpected: narrator.failedExpectations == 0)
    }

    /// Plays until the end, or until a signal comes, which it returns.
    private mutating func play(
        _ signals: SignalDescriptor, _ watchers: [Watcher]
    ) throws -> Int32? {
        for interface in scenario.interfaces { try stage.begin(interface) }
        guard watchers.allSatisfy({ $0.release() }) else { throw Watcher.killed }
        KernelThread.letOnlyCallingThreadPrecede()
        stage.restart()
        while true {
            let turn = player.turn(on: &stage)
            for event in turn.events { tell(narrator.remark(on: event)) }
            guard !player.isOver else { return nil }
            _ = Readiness.wait(for: [signals.descriptor], timeout: turn.next)
            while let signal = signals.next() {
                if signal.number != SIGCHLD { return signal.number }
            }
            while let (process, end) = LinuxKernel.Process.reapAny() {
                if let note = stage.commands.ended(process, end) { tell(.note(note)) }
            }
        }
    }
}

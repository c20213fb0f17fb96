public import DataPlane
public import DataPlanes
import FoundationEssentials
import Glibc
public import LinkModel
public import LinuxKernel
import ScenarioPlaying
public import Scenarios

/// A scenario played on a host until its end or Ctrl-C; then everything is restored.
public struct HostPerformance {
    private let scenario: Scenario
    /// The limits that end conditions and overrides with this process, however it ends.
    private let limits: (conditions: TimeLimit, overrides: TimeLimit)
    private let tell: (PlayRemark) -> Void
    private let master: ProcessDescriptor?
    private var player: TimelinePlayer
    private var stage: HostStage
    private var narrator: Narrator

    /// Prepares to play in the calling thread's network namespace.
    ///
    /// - Parameters:
    ///   - origin: The path of the file, or the name of a built-in scenario.
    ///   - selector: The traffic to condition.
    ///   - backend: The requested data plane.
    ///   - seed: The seed for random times and for packets; nil: random.
    ///   - isForced: Whether filters of other programs may see packets first.
    ///   - master: The process with which it ends, too; nil: none.
    ///   - identity: The user that runs the scenario's commands; nil: the caller.
    ///   - tell: Called for everything that happens.
    public init(
        _ scenario: Scenario, origin: String, on interfaces: HostInterfaces, _ planes: DataPlanes,
        selector: TrafficSelector, backend: Backend, seed: UInt64?, isForced: Bool,
        endingWith master: ProcessDescriptor? = nil, identity: LinuxKernel.Program.Identity?,
        tell: @escaping (PlayRemark) -> Void
    ) throws {
        let process = ProcessInfo.processInfo.processIdentifier
        limits = (
            TimeLimit(ends: nil, process: process), TimeLimit(ends: nil, process: process)
        )
        var request = ApplyRequest(
            conditions: .init(), profile: "", selector: selector,
            isForced: isForced, seed: seed, now: Int64(Date().timeIntervalSince1970))
        request.limit = limits.conditions
        stage = HostStage(
            scenario, on: interfaces, planes, request,
            backend: try planes.backend(backend, forAll: scenario.allConditions),
            overrideWatcher: limits.overrides.watcher,
            surroundings: CommandSurroundings(
                network: try NetworkNamespace.openCurrent(), identity: identity))
        self.scenario = scenario
        self.tell = tell
        self.master = master
        player = TimelinePlayer(
            scenario, seed: seed ?? UInt64(UInt32.random(in: .min ... .max)))
        narrator = Narrator(origin: origin)
    }

    /// How it ended.
    public enum End: Sendable, Hashable {
        /// It ran to its end; whether all expectations were met.
        case over(isAsExpected: Bool)
        /// A signal interrupted it.
        case interrupted(signal: Int32)
    }

    /// Plays it and restores the interfaces.
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

    /// Plays until the end, or until a signal arrives, which it returns.
    private mutating func play(
        _ signals: SignalDescriptor, _ watchers: [Watcher]
    ) throws -> Int32? {
        for interface in scenario.interfaces { try stage.begin(interface) }
        guard watchers.allSatisfy({ $0.release() }) else { throw Watcher.killed }
        KernelThread.letOnlyCallingThreadPrecede()
        defer { KernelThread.precedeNoMore() }
        stage.restart()
        while true {
            let turn = player.turn(on: &stage)
            for event in turn.events { tell(narrator.remark(on: event)) }
            guard !player.isOver else { return nil }
            _ = Readiness.wait(
                for: [signals.descriptor] + [master?.descriptor].compactMap { $0 },
                timeout: turn.next)
            if master?.hasEnded == true { return SIGTERM }
            while let signal = signals.next() {
                if signal.number != SIGCHLD { return signal.number }
            }
            while let (process, end) = LinuxKernel.Process.reapAny() {
                if let note = stage.commands.ended(process, end) { tell(.note(note)) }
            }
        }
    }
}

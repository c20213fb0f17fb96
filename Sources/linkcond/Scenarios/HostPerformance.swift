import Conditioner
import Glibc
import LinuxKernel
import NetworkOverride
import Sandbox
import Scenarios

/// A scenario that is played on a host, until its end or Ctrl-C; then all is restored.
struct HostPerformance {
    /// What ends conditions and overrides with this process, however that ends.
    struct Limits {
        let conditions: TimeLimit
        let overrides: TimeLimit

        init(process: Int32) {
            conditions = TimeLimit(until: nil, process: process)
            overrides = TimeLimit(until: nil, process: process)
        }
    }

    private let scenario: Scenario
    private let origin: String
    private let limits: Limits
    private let console: Console
    private var player: TimelinePlayer
    private var stage: HostStage
    private var punctuality = Punctuality()
    private var failedExpectations = 0

    init(
        _ scenario: Scenario, origin: String, seed: UInt64, on stage: HostStage, _ limits: Limits,
        _ console: Console
    ) {
        self.scenario = scenario
        self.origin = origin
        self.limits = limits
        self.console = console
        self.stage = stage
        player = TimelinePlayer(scenario, seed: seed)
    }

    /// Plays it and returns the exit code.
    mutating func run() throws -> Int32 {
        let signals = try SignalDescriptor([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCHLD])
        let watchers = [
            try Watcher(limits.conditions, after: nil),
            try Watcher(limits.overrides, after: nil, ends: .overrides),
        ]
        let result = Result { try play(signals, watchers) }
        try stage.end(conditionsWatcher: limits.conditions.watcher)
        let signal = try result.get()
        if let note = punctuality.note { console.note(note) }
        if let signal { return 128 + signal }
        return failedExpectations > 0 ? ExitStatus.failed.rawValue : ExitStatus.done.rawValue
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
            turn.events.forEach { tell($0) }
            guard !player.isOver else { return nil }
            _ = Readiness.wait(for: [signals.descriptor], timeout: turn.next)
            while let signal = signals.next() {
                if signal.number != SIGCHLD { return signal.number }
            }
            while let (process, end) = LinuxKernel.Process.reapAny() {
                if let note = stage.companions.ended(process, end) { console.note(note) }
            }
        }
    }

    private mutating func tell(_ event: PlayedEvent) {
        punctuality.add(event)
        if event.failure == nil {
            console.report(event.line)
        } else if event.subject == .expectation {
            failedExpectations += 1
            console.fail(event.complaint(origin: origin))
        } else {
            console.note(event.complaint(origin: origin))
        }
    }
}

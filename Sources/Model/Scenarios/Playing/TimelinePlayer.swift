import LinkModel

/// Plays the timeline of a scenario on a stage.
///
/// Theory of operation. The player has no clock and no thread: the owner of the stage calls `turn`
/// when the last turn's `next` is due, or when a command that the player started has ended. Each
/// turn carries out what is due by the stage's clock, in timeline order: single changes, steps of
/// ramps, and expectations. Expectations are judged at their time; those that run a command, when
/// it has ended. Times count from the start of the command, so the lateness of one event does not
/// delay the next.
public struct TimelinePlayer: Sendable {
    /// The result of a turn.
    public struct Turn: Sendable {
        /// The events carried out, in order.
        public var events: [PlayedEvent] = []
        /// The time until something is due; nil: nothing is due before a check has ended.
        public var next: Duration?
    }

    private let scenario: Scenario
    private var timeline: Timeline
    private var coming: TimelineEvent?
    private var conditions: [String: LinkConditions]
    private var ramps: [String: Ramp] = [:]
    private var checks: [PendingCheck] = []
    private var limits: [PendingLimit] = []
    /// When the app is started again, cached once asked.
    private var knownRelaunch: Duration?
    /// The exit codes of the apps after their final end, by device.
    private var exitCodes: [String?: Int32]?

    /// Plays `scenario`, whose initial interfaces the stage already has; `seed` determines random
    /// times.
    public init(_ scenario: Scenario, seed: UInt64) {
        self.scenario = scenario
        timeline = Timeline(scenario, seed: seed)
        conditions = Dictionary(
            scenario.interfaces.map { ($0.name, $0.profile.conditions) }
        ) { $1 }
        coming = timeline.next()
    }

    /// Whether nothing is left to do or judge. Limits that are not reached yet are left to do.
    public var isOver: Bool {
        coming == nil && ramps.isEmpty && checks.isEmpty && limits.isEmpty
    }

    /// Carries out what is due.
    public mutating func turn(on stage: inout some Stage) -> Turn {
        var turn = Turn()
        while true {
            let due = coming.flatMap { $0.time <= stage.now ? $0 : nil }
            // Ramp steps due before the event come before it.
            takeSteps(until: due?.time ?? stage.now, on: &stage, &turn)
            guard let due else { break }
            coming = timeline.next()
            carryOut(due, on: &stage, &turn)
        }
        let judgement = judge(on: &stage, &turn)
        let count = watchLimits(on: &stage, &turn)
        let moments = [coming?.time, ramps.values.compactMap(\.next).min(), judgement, count]
        turn.next = moments.compactMap(\.self).min().map { max(.zero, $0 - stage.now) }
        return turn
    }

    /// Whether an app will be started again, so that the end of all is not the end of the run; in an
    /// endless timeline, whether it will be in the current pass.
    public mutating func hasRelaunch(after now: Duration) -> Bool {
        guard exitCodes == nil else { return false }
        if let knownRelaunch, let coming, coming.time <= knownRelaunch { return true }
        guard let horizon = scenario.latestRelaunch(after: now) else { return false }
        var rest = timeline
        var event = coming
        while let next = event, next.time <= horizon {
            if next.action.isRelaunch {
                knownRelaunch = next.time
                return true
            }
            event = rest.next()
        }
        return false
    }

    /// Call this when the apps have finally ended. Remaining events do not happen; expectations at
    /// the end are judged, now and in the following turns until `isOver`.
    ///
    /// - Parameter exitCodes: The exit codes of the apps, by device; nil is the only device.
    public mutating func end(exitCodes: [String?: Int32], on stage: inout some Stage) -> Turn {
        self.exitCodes = exitCodes
        coming = nil
        ramps = [:]
        limits = []
        var turn = Turn()
        for end in timeline.endExpectations {
            let event = TimelineEvent(
                time: stage.now, device: end.device, action: .expect(end.expectation),
                line: end.line)
            expect(end.expectation, event, on: &stage, &turn)
        }
        return turn
    }

    // MARK: - Parts of a turn

    private mutating func takeSteps(
        until moment: Duration, on stage: inout some Stage, _ turn: inout Turn
    ) {
        for name in ramps.keys.sorted() {
            guard var ramp = ramps[name], let step = ramp.take(at: moment) else { continue }
            let beginning = stage.now
            let failure = Self.failure { () throws(StageError) in
                try stage.change(name, to: step.conditions, profile: ramp.profile)
            }
            let now = stage.now
            ramp.note(lateness: now - step.due, effort: now - beginning)
            conditions[name] = step.conditions
            ramps[name] = ramp
            guard failure != nil || ramp.next == nil else { continue }
            ramps[name] = nil
            turn.events.append(ramp.end(at: now, failure))
        }
    }

    private mutating func carryOut(
        _ event: TimelineEvent, on stage: inout some Stage, _ turn: inout Turn
    ) {
        if case .expect(let expectation) = event.action {
            expect(expectation, event, on: &stage, &turn)
            return
        }
        if event.limit != nil {
            hold(event, on: &stage, &turn)
            return
        }
        for index in limits.indices { limits[index].giveWay(to: event) }
        let beginning = stage.now
        let failure = Self.failure { () throws(StageError) in try act(event, on: &stage) }
        let now = stage.now
        turn.events.append(
            PlayedEvent(event, at: now, effort: now - beginning, failure: failure))
    }

    private mutating func act(
        _ event: TimelineEvent, on stage: inout some Stage
    ) throws(StageError) {
        switch event.action {
        case .change(let name, let profile, let target, _):
            ramps[name] = Ramp(event, from: conditions[name] ?? LinkConditions())
            guard ramps[name] == nil else { return }
            conditions[name] = target
            try stage.change(name, to: target, profile: profile)
        case .carrier(let name, let isUp): try stage.setCarrier(name, isUp: isUp)
        case .presence(let name, let isPresent):
            try stage.setPresence(name, isPresent: isPresent)
        case .override(let name, let settings): try stage.override(name, with: settings)
        case .prefer(let name): try stage.prefer(name)
        case .app(let action): try stage.perform(action, on: event.device)
        case .execute(let command): try stage.execute(command, on: event.device)
        case .expect: break
        }
    }

    // MARK: - Limits

    /// Starts counting what an interface carries.
    private mutating func hold(
        _ event: TimelineEvent, on stage: inout some Stage, _ turn: inout Turn
    ) {
        guard let limit = event.limit else { return }
        if let index = limits.firstIndex(where: { $0.isShared(with: event).time }) {
            limits[index].add(event)
            return
        }
        // The timeline has restarted.
        limits.removeAll { $0.isShared(with: event).entry }
        do throws(StageError) {
            limits.append(try PendingLimit(limit, of: event, on: &stage))
        } catch {
            turn.events.append(PlayedEvent(event, at: stage.now, failure: error.description))
        }
    }

    /// Carries out the events whose limit is reached; returns when to check again.
    private mutating func watchLimits(
        on stage: inout some Stage, _ turn: inout Turn
    ) -> Duration? {
        var reached: [TimelineEvent] = []
        limits.removeAll { $0.events.isEmpty }
        for index in limits.indices.reversed() {
            // If counting fails, the next turn tries again.
            guard (try? limits[index].isReached(on: &stage)) == true else { continue }
            reached = limits.remove(at: index).events + reached
        }
        for var event in reached {
            (event.time, event.limit) = (stage.now, nil)
            carryOut(event, on: &stage, &turn)
        }
        return limits.isEmpty ? nil : stage.now + PendingLimit.interval
    }

    // MARK: - Expectations

    private mutating func expect(
        _ expectation: Expectation, _ event: TimelineEvent, on stage: inout some Stage,
        _ turn: inout Turn
    ) {
        var flaw = expectation.flaw(ofExit: exitCodes?[event.device])
        if flaw == nil, expectation.asksForPath {
            do throws(StageError) {
                flaw = expectation.flaw(in: try stage.path(on: event.device))
            } catch {
                flaw = error.description
            }
        }
        if flaw == nil, let command = expectation.command {
            checks.append(PendingCheck(command, of: event, at: stage.now))
        } else {
            turn.events.append(PlayedEvent(event, at: stage.now, failure: flaw))
        }
    }

    /// Advances the running checks; returns when the next is due.
    private mutating func judge(on stage: inout some Stage, _ turn: inout Turn) -> Duration? {
        var open: [PendingCheck] = []
        var due: Duration?
        for var check in checks {
            switch check.turn(on: &stage) {
            case .open(let moment):
                open.append(check)
                due = [due, moment].compactMap(\.self).min()
            case .succeeded: turn.events.append(check.end(at: stage.now))
            case .failed(let reason): turn.events.append(check.end(at: stage.now, reason))
            }
        }
        checks = open
        return due
    }

    /// The reason of a failure; nil on success.
    private static func failure(of body: () throws(StageError) -> Void) -> String? {
        do throws(StageError) {
            try body()
            return nil
        } catch {
            return error.description
        }
    }
}

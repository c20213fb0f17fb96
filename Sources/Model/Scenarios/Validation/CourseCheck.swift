import LinkModel

/// Checks that involve several entries: whether an interface exists, ramps, conditions.
struct CourseCheck {
    /// The start or end of an entry, with its earliest and latest possible time.
    fileprivate struct Step {
        var earliest: Duration
        var latest: Duration
        var entry: Int
        var isEnd: Bool

        /// The time in the file.
        var time: Duration { (earliest + latest) / 2 }
    }

    /// The number of steps checked; endless repetitions add nothing new.
    private static let stepLimit = 5000

    private let scenario: Scenario
    private let steps: [Step]

    init(_ scenario: Scenario) {
        self.scenario = scenario
        let share = Self.stepLimit / max(1, scenario.entries.count)
        steps = scenario.entries.indices.flatMap { index in
            Self.steps(of: scenario.entries[index], index, in: scenario, limit: max(2, share))
        }.sorted {
            ($0.time, $0.isEnd ? 0 : 1, $0.entry) < ($1.time, $1.isEnd ? 0 : 1, $1.entry)
        }
    }

    private static func steps(
        of entry: ScenarioEntry, _ index: Int, in scenario: Scenario, limit: Int
    ) -> [Step] {
        var times: [(Duration, Duration)] = []
        switch entry.schedule {
        case .atEnd: break
        case .once(let time, let spread): times = [(time - spread, time + spread)]
        case .every(let period, let from, let until):
            var time = from
            let pass = scenario.repetition.map { $0.period - .nanoseconds(1) }
            let end = until ?? pass ?? scenario.longestLastTime(from: from)
            while time <= end, times.count < limit {
                times.append((time, time))
                time += period
            }
        }
        return times.flatMap { earliest, latest in
            let begin = Step(earliest: earliest, latest: latest, entry: index, isEnd: false)
            guard let length = entry.length else { return [begin] }
            return [
                begin,
                Step(
                    earliest: earliest + length, latest: latest + length, entry: index,
                    isEnd: true),
            ]
        }
    }

    func check() throws(ScenarioProblem) {
        try checkRamps()
        try checkRandomPresence()
        var state = ScenarioState(scenario)
        try checkConditions(state, entry: nil)
        for step in steps {
            let entry = scenario.entries[step.entry]
            for action in step.isEnd ? entry.actions.reversed() : entry.actions {
                if !step.isEnd { try checkPresence(action, of: entry, at: step.time, state) }
                if step.isEnd {
                    _ = state.undo(action, ofEntry: step.entry)
                } else {
                    _ = state.perform(
                        action, ofEntry: step.entry, isTemporary: entry.length != nil)
                }
                if case .change = action { try checkConditions(state, entry: entry) }
            }
        }
    }

    // MARK: Whether the interface exists

    private func checkPresence(
        _ action: ScenarioAction, of entry: ScenarioEntry, at time: Duration,
        _ state: ScenarioState
    ) throws(ScenarioProblem) {
        guard let name = action.interface ?? action.expectation?.interface,
            let isPresent = state.interfaces[name]?.isPresent
        else { return }
        if case .presence(_, let becomesPresent) = action {
            guard isPresent == becomesPresent else { return }
            throw ScenarioProblem(
                line: entry.line, field: action.field,
                isPresent
                    ? "\(name) is there already at \(time.text); say present: false where it is "
                        + "listed" : "\(name) is not there at \(time.text); leave this out")
        }
        guard !isPresent else { return }
        let appears = scenario.entries.first {
            $0.actions.contains(.presence(interface: name, isPresent: true))
        }
        let remedy =
            appears?.line.map { "it appears by line \($0)" }
            ?? "write an entry with appear: \(name)"
        throw ScenarioProblem(
            line: entry.line, field: action.field,
            "\(name) is not there at \(time.text); \(remedy)")
    }

    /// Whether an interface exists must not depend on a random time.
    private func checkRandomPresence() throws(ScenarioProblem) {
        let uncertain = steps.filter { $0.earliest < $0.latest }
        guard !uncertain.isEmpty else { return }
        for change in steps {
            for case .presence(let name, _) in scenario.entries[change.entry].actions {
                let candidates = change.earliest < change.latest ? steps : uncertain
                let other = candidates.first { step in
                    step.entry != change.entry
                        && step.overlaps(change)
                        && scenario.entries[step.entry].actions.contains { $0.interface == name }
                }
                guard let other else { continue }
                let line = scenario.entries[change.entry].line
                throw ScenarioProblem(
                    line: scenario.entries[other.entry].line, field: "at",
                    "chance decides whether this comes before \(name) appears or vanishes"
                        + "\(line.map { " (line \($0))" } ?? ""); keep the times apart")
            }
        }
    }

    // MARK: Ramps

    private struct Span {
        var start: Duration
        var end: Duration
        var isRamp: Bool
        var entry: Int
    }

    private func checkRamps() throws(ScenarioProblem) {
        for interface in scenario.interfaces {
            var last: [Span] = []
            for span in spans(of: interface.name) {
                last.removeAll { $0.end <= span.start }
                // An entry cannot overlap itself; `for` and `every` are checked elsewhere.
                let other = last.first { $0.entry != span.entry && ($0.isRamp || span.isRamp) }
                if let other {
                    let first = scenario.entries[other.entry].line
                    throw ScenarioProblem(
                        line: scenario.entries[span.entry].line, field: "over",
                        "\(interface.name) is still being changed"
                            + (first.map { " by line \($0)" } ?? "")
                            + " until \(other.end.text); ramps on one interface may not overlap")
                }
                last.append(span)
            }
        }
    }

    /// The changes of an interface's conditions, by start time.
    private func spans(of name: String) -> [Span] {
        steps.flatMap { step -> [Span] in
            scenario.entries[step.entry].actions.compactMap { action in
                guard case .change(name, _, let over) = action else { return nil }
                return Span(
                    start: step.earliest, end: step.latest + over, isRamp: over > .zero,
                    entry: step.entry)
            }
        }.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    }

    // MARK: Conditions

    private func checkConditions(
        _ state: ScenarioState, entry: ScenarioEntry?
    ) throws(ScenarioProblem) {
        for interface in scenario.interfaces {
            guard let conditions = state.interfaces[interface.name]?.conditions.conditions,
                let problem = conditions.problem
            else { continue }
            let prefix = entry == nil ? "interfaces.\(interface.name).set" : "set"
            throw ScenarioProblem(
                line: entry == nil ? interface.line : entry?.line,
                field: "\(prefix).\(problem.field)", problem.explanation)
        }
    }
}

extension CourseCheck.Step {
    /// Whether the two can happen at the same time.
    fileprivate func overlaps(_ other: Self) -> Bool {
        earliest <= other.latest && other.earliest <= latest
    }
}

extension Scenario {
    /// How far an endless entry is checked: a few rounds past everything else.
    fileprivate func longestLastTime(from: Duration) -> Duration {
        let last = entries.map { entry -> Duration in
            let time: Duration
            switch entry.schedule {
            case .atEnd: time = .zero
            case .once(let at, let spread): time = at + spread
            case .every(let period, let from, let until): time = until ?? from + period * 3
            }
            return time + (entry.length ?? .zero) + entry.ramp
        }
        return max(last.max() ?? .zero, from)
    }
}

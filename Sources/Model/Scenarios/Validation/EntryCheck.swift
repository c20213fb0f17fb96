import LinkModel
import LinkUnits

/// Checks that involve a single entry.
struct EntryCheck {
    let entry: ScenarioEntry
    let scenario: Scenario

    func check() throws(ScenarioProblem) {
        try checkDevice()
        try checkActions()
        try checkSchedule()
        try checkLength()
        try checkLimit()
        try checkRepetition()
    }

    private func problem(_ field: String, _ explanation: String) -> ScenarioProblem {
        ScenarioProblem(line: entry.line, field: field, explanation)
    }

    // MARK: Actions

    private func checkDevice() throws(ScenarioProblem) {
        guard let device = entry.device else { return }
        let names = scenario.apps.map(\.name)
        guard !names.contains(device) else { return }
        let remedy =
            names.isEmpty ? "list it under apps" : NameMatching.remedy(for: device, among: names)
        throw problem("device", "\(device): no such device; \(remedy)")
    }

    private func checkActions() throws(ScenarioProblem) {
        guard !entry.actions.isEmpty else { throw problem("", "nothing happens in this entry") }
        for action in entry.actions {
            if let name = action.interface { try checkName(name, field: action.field) }
            if case .expect(let expectation) = action { try check(expectation) }
            if case .app(.relaunch(let options)) = action, let flaw = options.flaw {
                throw problem("app.relaunch.\(flaw.field)", flaw.explanation)
            }
            if entry.length != nil, !action.canBeUndone {
                throw problem("for", "\(action.field) cannot be undone; leave one of them out")
            }
            if entry.schedule == .atEnd, action.expectation == nil {
                throw problem(
                    action.field,
                    "at the end the command has ended; only expect has a meaning there")
            }
        }
    }

    private func checkName(_ name: String, field: String) throws(ScenarioProblem) {
        let names = scenario.interfaces.map(\.name)
        guard !names.contains(name) else { return }
        let remedy = NameMatching.remedy(for: name, among: names)
        // Other actions on an interface are found by the key `interface`.
        let isNamed = ["prefer", "appear", "vanish", "expect.interface"].contains(field)
        throw problem(isNamed ? field : "interface", "\(name): no such interface; \(remedy)")
    }

    private func check(_ expectation: Expectation) throws(ScenarioProblem) {
        if expectation == Expectation() {
            throw problem("expect", "expects nothing; write expect: { isConstrained: true }")
        }
        if let name = expectation.interface { try checkInterface(name) }
        if expectation.exit != nil, entry.schedule != .atEnd {
            throw problem(
                "expect.exit", "is known when the command has ended; write at: end")
        }
        if expectation.status == .unsatisfied, expectation.interface != nil {
            throw problem(
                "expect.interface",
                "there is none when status is unsatisfied; leave one of them out")
        }
        if let limit = expectation.command?.limit, limit > Scenario.longestTime {
            throw problem("expect.within", tooLong(limit))
        }
    }

    /// Checks an expected interface.
    private func checkInterface(_ name: String) throws(ScenarioProblem) {
        try checkName(name, field: "expect.interface")
        let owner = scenario.apps.first { $0.interfaces.contains(name) }
        guard let owner, let device = entry.device, owner.name != device else { return }
        throw problem("expect.interface", "\(name) belongs to \(owner.name), not to \(device)")
    }

    // MARK: Schedule

    private func tooLong(_ time: Duration) -> String {
        "\(time.text) is too long; the longest time is \(Scenario.longestTime.text)"
    }

    private func checkSchedule() throws(ScenarioProblem) {
        switch entry.schedule {
        case .atEnd: break
        case .once(let time, let spread):
            guard time <= Scenario.longestTime else { throw problem("at", tooLong(time)) }
            guard time >= .zero, spread >= .zero, spread <= time else {
                throw problem(
                    "at",
                    "\(time.text) ± \(spread.text) may be before the start; make the second time "
                        + "at most the first")
            }
        case .every(let period, let from, let until):
            guard from >= .zero, from <= Scenario.longestTime else {
                throw problem("from", tooLong(from))
            }
            guard period >= Scenario.shortestPeriod, period <= Scenario.longestTime else {
                throw problem(
                    "every",
                    "\(period.text) is outside \(Scenario.shortestPeriod.text) to "
                        + Scenario.longestTime.text)
            }
            guard let until else { return }
            guard until <= Scenario.longestTime else { throw problem("until", tooLong(until)) }
            guard until >= from else {
                throw problem(
                    "until",
                    "\(until.text) is before \(from.text), when it begins, so it never "
                        + "happens; make it later, or from earlier")
            }
        }
    }

    private func checkLength() throws(ScenarioProblem) {
        for action in entry.actions {
            guard case .change(_, _, let over) = action, over > .zero else { continue }
            guard over <= Scenario.longestTime else { throw problem("over", tooLong(over)) }
            if let length = entry.length, over > length {
                throw problem(
                    "over",
                    "the ramp of \(over.text) is not over when the change ends after \(length.text)"
                )
            }
        }
        guard let length = entry.length else { return }
        guard length > .zero else { throw problem("for", "lasts no time; leave it out") }
        guard length <= Scenario.longestTime else { throw problem("for", tooLong(length)) }
        guard case .every(let period, _, _) = entry.schedule else { return }
        let lasting = length + entry.ramp
        guard lasting <= period else {
            let ramp = entry.ramp > .zero ? ", the way back included," : ""
            throw problem(
                "for",
                "\(lasting.text)\(ramp) is longer than the \(period.text) after which it begins "
                    + "again"
            )
        }
    }

    private func checkLimit() throws(ScenarioProblem) {
        guard let limit = entry.limit else { return }
        try checkName(limit.interface, field: "limit")
        guard case .once = entry.schedule else {
            throw problem("limit", "is counted from one time on; write at: 0 s")
        }
        guard entry.length == nil else {
            throw problem("for", "has no meaning with limit; write an entry that undoes it")
        }
        guard limit.volume > ByteCount(bytes: 0) else {
            throw problem("limit", "is reached before anything is carried; leave it out")
        }
        // The state at the action's time must be known in advance, but a limit's time is not.
        for action in entry.actions where !action.isPossibleAtAnyTime {
            throw problem(
                action.field, "cannot wait for a limit; only down, prefer and exec can")
        }
    }

    /// Rejects entries that a new pass would prevent or cut short.
    private func checkRepetition() throws(ScenarioProblem) {
        guard let period = scenario.repetition?.period else { return }
        let field: String
        let latest: Duration
        switch entry.schedule {
        case .atEnd: return
        case .once(let time, let spread): (field, latest) = ("at", time + spread)
        case .every(_, let from, nil) where from >= period: (field, latest) = ("from", from)
        case .every(let every, let from, nil):
            let last = from + every * (period - from - .nanoseconds(1)).wholePeriods(of: every)
            (field, latest) = ("from", last)
        case .every(_, _, let until?): (field, latest) = ("until", until)
        }
        guard latest < period else {
            throw problem(
                field,
                "\(latest.text) is never reached: the timeline begins again every "
                    + period.text)
        }
        let end = latest + (entry.length ?? .zero) + entry.ramp
        guard end <= period else {
            throw problem(
                entry.length == nil ? "over" : "for",
                "lasts until \(end.text), but the timeline begins again every \(period.text); end it "
                    + "earlier")
        }
    }
}

extension ScenarioEntry {
    /// The longest ramp in the entry.
    var ramp: Duration {
        actions.map { action in
            if case .change(_, _, let over) = action { over } else { Duration.zero }
        }.max() ?? .zero
    }
}

extension ScenarioAction {
    /// The key in the file.
    var field: String {
        switch self {
        case .change(_, let change, _): change.profile == nil ? "set" : "profile"
        case .carrier(_, let isUp): isUp ? "up" : "down"
        case .presence(_, let isPresent): isPresent ? "appear" : "vanish"
        case .override(_, let settings):
            settings.kind != nil
                ? "kind" : settings.cost != nil ? "expensive" : "constrained"
        case .prefer: "prefer"
        case .app: "app"
        case .execute: "exec"
        case .expect: "expect"
        }
    }

    var expectation: Expectation? {
        if case .expect(let expectation) = self { expectation } else { nil }
    }

    fileprivate var isPossibleAtAnyTime: Bool {
        switch self {
        case .carrier(_, let isUp): !isUp
        case .prefer, .execute: true
        case .change, .presence, .override, .app, .expect: false
        }
    }

    fileprivate var canBeUndone: Bool {
        switch self {
        case .change, .carrier, .presence, .override, .prefer, .app(.suspend), .app(.resume): true
        case .app, .execute, .expect: false
        }
    }
}

extension Duration {
    /// The length for messages: `90 s`.
    var text: String { self == .zero ? "0 s" : unitText }
}

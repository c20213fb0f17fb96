public import LinkModel

extension Scenario {
    /// All conditions that interfaces are given by events, as far as they can be looked through.
    public var laterConditions: [LinkConditions] {
        var found: [LinkConditions] = []
        var known: Set<LinkConditions> = []
        for event in Timeline(self, seed: 0).prefix(10_000) {
            guard case .change(_, _, let conditions, _) = event.action else { continue }
            if known.insert(conditions).inserted { found.append(conditions) }
        }
        return found
    }

    /// A time after which the app is not started again, if it is at all after `now`; of a scenario
    /// without end, in the pass that goes on at `now`. Nil: never.
    func latestRelaunch(after now: Duration) -> Duration? {
        let latest = entries.filter { $0.actions.contains(.app(.relaunch)) }.compactMap { entry in
            switch entry.schedule {
            case .once(let time, let spread): time + spread
            // Where nothing ends it, for so long that nobody waits for it.
            case .every(_, _, let end): end ?? repetition?.period ?? .seconds(Int64(Int32.max))
            case .atEnd: nil
            }
        }.max()
        guard let latest, let repetition else { return latest }
        let pass =
            repetition.count.map { Double($0 - 1) } ?? (now / repetition.period).rounded(.down)
        return repetition.period * pass + latest
    }

    /// Whether it says how the app has to end.
    public var expectsExit: Bool {
        entries.flatMap(\.actions).contains { action in
            if case .expect(let expectation) = action { expectation.exit != nil } else { false }
        }
    }

    /// The lines with expectations that are due after `now`, in the first pass.
    public func expectationLines(after now: Duration) -> [Int] {
        entries.compactMap { entry in
            guard case .once(let time, let spread) = entry.schedule, time - spread > now,
                entry.actions.contains(where: \.isExpectation)
            else { return nil }
            return entry.line
        }
    }
}

extension ScenarioAction {
    fileprivate var isExpectation: Bool {
        if case .expect = self { true } else { false }
    }
}

public import LinkModel

extension Scenario {
    /// All conditions that events give to interfaces, as far as they can be determined in advance.
    public var laterConditions: [LinkConditions] {
        var found: [LinkConditions] = []
        var known: Set<LinkConditions> = []
        for event in Timeline(self, seed: 0).prefix(10_000) {
            guard case .change(_, _, let conditions, _) = event.action else { continue }
            if known.insert(conditions).inserted { found.append(conditions) }
        }
        return found
    }

    /// Whether apps are started while it is played.
    public var relaunchesApps: Bool {
        entries.contains { $0.actions.contains(where: \.isRelaunch) }
    }

    /// The latest time after `now` at which the app may be started again; in an endless scenario,
    /// the latest in the current pass. Nil: never.
    func latestRelaunch(after now: Duration) -> Duration? {
        let latest = entries.filter { $0.actions.contains(where: \.isRelaunch) }.compactMap {
            entry in
            switch entry.schedule {
            case .once(let time, let spread): time + spread
            // Without an end, use a time longer than anybody waits.
            case .every(_, _, let end): end ?? repetition?.period ?? .seconds(Int64(Int32.max))
            case .atEnd: nil
            }
        }.max()
        guard let latest, let repetition else { return latest }
        let pass =
            repetition.count.map { Double($0 - 1) } ?? (now / repetition.period).rounded(.down)
        return repetition.period * pass + latest
    }

    /// Whether an expectation checks the exit of the app on a device; nil: of the only one.
    public func expectsExit(on device: String?) -> Bool {
        entries.filter { $0.device == device }.flatMap(\.actions).contains { action in
            if case .expect(let expectation) = action { expectation.exit != nil } else { false }
        }
    }

    /// The lines of expectations due after `now`, in the first pass.
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
    fileprivate var isRelaunch: Bool {
        if case .app(.relaunch) = self { true } else { false }
    }

    fileprivate var isExpectation: Bool {
        if case .expect = self { true } else { false }
    }
}

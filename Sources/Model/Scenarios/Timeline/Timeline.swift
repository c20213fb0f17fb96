import LinkModel

/// The events of a scenario with their times, in order; endless if the scenario is.
///
/// The same seed gives the same times. Among events at the same time, undo events come first, then
/// the others in file order.
public struct Timeline: Sendable, Sequence, IteratorProtocol {
    /// What must hold when the command has ended.
    public struct EndExpectation: Sendable, Hashable {
        /// The device that it concerns; nil: the only one.
        public var device: String?
        /// The expectation.
        public var expectation: Expectation
        /// The line in the scenario file.
        public var line: Int?
    }

    /// The start or end of an entry at a time.
    private struct Occurrence {
        var time: Duration
        var entry: Int
        var isEnd: Bool

        /// The order of occurrences, including those at the same time.
        func isBefore(_ other: Occurrence) -> Bool {
            if time != other.time { return time < other.time }
            if isEnd != other.isEnd { return isEnd }
            return entry < other.entry
        }
    }

    private let scenario: Scenario
    private var random: RandomStream
    private var state: ScenarioState
    /// The number of passes begun, and when the current pass began.
    private var pass = 0
    private var start = Duration.zero
    /// The remaining occurrences of this pass, the next one last.
    private var pending: [Occurrence] = []
    /// Events of one time that have not been returned yet, the next one last.
    private var due: [TimelineEvent] = []

    /// The timeline of `scenario`; `seed` determines random times.
    public init(_ scenario: Scenario, seed: UInt64) {
        self.scenario = scenario
        random = RandomStream(seed: seed, for: .schedule)
        state = ScenarioState(scenario)
    }

    /// What must hold when the command has ended.
    public var endExpectations: [EndExpectation] {
        scenario.entries.filter { $0.schedule == .atEnd }.flatMap { entry in
            entry.actions.compactMap { action in
                guard case .expect(let expectation) = action else { return nil }
                return EndExpectation(
                    device: entry.device, expectation: expectation, line: entry.line)
            }
        }
    }

    /// The next event; nil when there is none.
    public mutating func next() -> TimelineEvent? {
        while due.isEmpty {
            if let occurrence = pending.popLast() {
                perform(occurrence)
            } else if !beginPass() {
                return nil
            }
        }
        return due.popLast()
    }

    /// Begins a pass; false if the timeline is over.
    private mutating func beginPass() -> Bool {
        // Otherwise empty passes would follow one another forever.
        guard scenario.entries.contains(where: { $0.schedule != .atEnd }) else { return false }
        if pass > 0 {
            guard let repetition = scenario.repetition, pass < repetition.count ?? .max else {
                return false
            }
            start += repetition.period
            due = state.reset(to: scenario).map { TimelineEvent(time: start, action: $0) }
                .reversed()
        }
        pass += 1
        var first: [Occurrence] = []
        for (index, entry) in scenario.entries.enumerated() {
            let time: Duration
            switch entry.schedule {
            case .once(let nominal, let spread): time = nominal + chosen(within: spread)
            case .every(_, let from, _): time = from
            case .atEnd: continue
            }
            first.append(Occurrence(time: start + time, entry: index, isEnd: false))
        }
        pending = first.sorted { $1.isBefore($0) }
        return true
    }

    /// A random time between `-spread` and `spread`.
    private mutating func chosen(within spread: Duration) -> Duration {
        guard spread > .zero else { return .zero }
        return spread * (2 * random.unit() - 1)
    }

    private mutating func insert(_ occurrence: Occurrence) {
        // Occurrences after the index come earlier. A new one is usually among the latest.
        let index = pending.firstIndex { $0.isBefore(occurrence) } ?? pending.endIndex
        pending.insert(occurrence, at: index)
    }

    private mutating func perform(_ occurrence: Occurrence) {
        let entry = scenario.entries[occurrence.entry]
        var actions: [TimelineAction] = []
        if occurrence.isEnd {
            actions = entry.actions.reversed().compactMap {
                state.undo($0, ofEntry: occurrence.entry)
            }
        } else {
            actions = entry.actions.compactMap {
                state.perform($0, ofEntry: occurrence.entry, isTemporary: entry.length != nil)
            }
            insertNext(after: occurrence, of: entry)
        }
        due = actions.reversed().map {
            TimelineEvent(
                time: occurrence.time, device: $0.interface == nil ? entry.device : nil,
                action: $0, limit: entry.limit, line: entry.line)
        }
    }

    /// Schedules the end of an occurrence and its next repetition.
    private mutating func insertNext(after occurrence: Occurrence, of entry: ScenarioEntry) {
        if let length = entry.length {
            insert(
                Occurrence(
                    time: occurrence.time + length, entry: occurrence.entry, isEnd: true))
        }
        guard case .every(let period, _, let until) = entry.schedule else { return }
        let next = occurrence.time + period - start
        guard next <= until ?? next, scenario.repetition.map({ next < $0.period }) ?? true else {
            return
        }
        insert(Occurrence(time: start + next, entry: occurrence.entry, isEnd: false))
    }
}

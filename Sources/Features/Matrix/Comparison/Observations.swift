/// What a report says of its cells and of their tests, repetitions together.
struct Observations {
    var cells = ObservedItems()
    var tests = ObservedItems()

    init(_ report: MatrixReport) {
        let known = Set(report.cells.map(\.id))
        // A part of a matrix has only its own cells.
        for cell in report.plannedCells where !known.contains(cell.id) {
            cells.update(.init(profile: cell.scenario?.name ?? cell.profile)) { item in
                item.tally.addMissing()
            }
        }
        for cell in report.cells {
            let isExact = cell.statistics?.isFaithful != false
            cells.update(.init(profile: cell.rowName)) { item in
                item.tally.add(cell)
                if cell.isFailure { item.reason = item.reason ?? cell.problem }
                guard cell.status == .passed, isExact else { return }
                item.seconds.append(cell.durationSeconds)
                guard let link = cell.statistics else { return }
                item.bytes.append(Double(link.transferredBytes))
                if let requests = link.requests { item.requests.append(Double(requests)) }
            }
            for test in cell.tests ?? [] {
                let key = ObservedItems.Key(
                    profile: cell.rowName, suite: test.suite, test: test.name)
                tests.update(key) { item in
                    item.tally.add(test)
                    if test.isFailure { item.reason = item.reason ?? test.message }
                    guard test.status == .passed, isExact, let seconds = test.seconds else {
                        return
                    }
                    item.seconds.append(seconds)
                }
            }
        }
    }
}

/// Items in the order in which they were seen first.
struct ObservedItems {
    struct Key: Hashable {
        var profile: String
        var suite: String?
        var test: String?
    }

    struct Item {
        var tally = Tally()
        var seconds: [Double] = []
        var bytes: [Double] = []
        var requests: [Double] = []
        var reason: String?
    }

    private var keys: [Key] = []
    private var items: [Key: Item] = [:]

    mutating func update(_ key: Key, _ body: (inout Item) -> Void) {
        if items[key] == nil { keys.append(key) }
        body(&items[key, default: Item()])
    }

    /// Takes tests for missing where `earlier` has some of a profile, and these items none: that
    /// their command ended before it wrote results is likelier than that all were removed.
    mutating func notice(lostSince earlier: ObservedItems) {
        let profiles = Set(keys.map(\.profile))
        for key in earlier.keys where !profiles.contains(key.profile) {
            update(key) { item in item.tally.addMissing() }
        }
    }

    /// Compares these items with earlier ones. Those that are only there come last.
    func merged(after earlier: ObservedItems) -> [MatrixComparison.Item] {
        let all = keys + earlier.keys.filter { items[$0] == nil }
        return all.compactMap { key in
            let (before, after) = (earlier.items[key] ?? Item(), items[key] ?? Item())
            guard before.tally.state != nil || after.tally.state != nil else { return nil }
            return MatrixComparison.Item(
                profile: key.profile, suite: key.suite, test: key.test, before: before.tally,
                after: after.tally,
                change: Change(from: before.tally, to: after.tally),
                reason: after.reason,
                growth: [
                    Growth(.seconds, from: before.seconds, to: after.seconds),
                    Growth(.bytes, from: before.bytes, to: after.bytes),
                    Growth(.requests, from: before.requests, to: after.requests),
                ].compactMap(\.self))
        }
    }
}

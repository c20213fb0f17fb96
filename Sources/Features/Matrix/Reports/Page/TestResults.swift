import LinkModel

/// The results of every test under every profile: which test fails where.
struct TestResults {
    /// A test in all cells.
    struct Row {
        var suite: String
        var name: String
        /// By the number of the profile.
        var results: [Int: Result] = [:]

        /// Under how many profiles it failed though it should not.
        var failures: Int { results.values.count { $0.failed > 0 } }
        var isFlaky: Bool { results.values.contains(where: \.isFlaky) }
        /// The longest of its times by profile.
        var seconds: Double? { results.values.compactMap(\.seconds).max() }
    }

    /// A test under a profile, in all repetitions.
    struct Result {
        var passed = 0
        var failed = 0
        /// How often it failed where that was expected.
        var tolerated = 0
        /// How often it passed only after a failed attempt.
        var flaky = 0
        var skipped = 0
        /// Why it failed first.
        var message: String?
        /// Where: the index of the cell, and of the test in it.
        var failure: (cell: Int, test: Int?)?
        fileprivate var times: [Double] = []

        var count: Int { passed + failed + tolerated + skipped }
        var seconds: Double? { times.median }
        /// Whether the same conditions gave both results.
        var isFlaky: Bool { flaky > 0 || passed > 0 && failed > 0 }
    }

    /// The profiles and scenarios with tests, in the order of the report.
    private(set) var profiles: [String] = []
    /// Those that failed under the most profiles first, then flaky ones, then in their own order.
    private(set) var rows: [Row] = []

    private struct Key: Hashable {
        var suite: String
        var name: String
    }

    init(_ report: MatrixReport, _ attachments: [CellAttachments]) {
        var columns: [String: Int] = [:]
        var positions: [Key: Int] = [:]
        for (index, cell) in report.cells.enumerated() {
            let tests = InnerTest.all(of: cell, attachments[index])
            guard !tests.isEmpty else { continue }
            let column = columns[cell.rowName] ?? profiles.count
            if column == profiles.count {
                columns[cell.rowName] = column
                profiles.append(cell.rowName)
            }
            let isTolerated = report.tolerates(cell)
            var failures = 0
            for (number, test) in tests.enumerated() {
                let key = Key(suite: test.report.suite, name: test.report.name)
                let position = positions[key] ?? rows.count
                if position == rows.count {
                    positions[key] = position
                    rows.append(Row(suite: key.suite, name: key.name))
                }
                failures += test.report.isFailure ? 1 : 0
                // A cell's page shows only so many.
                let isShown = failures <= InnerTestTable.mostFailed
                rows[position].results[column, default: Result()]
                    .add(test.report, isTolerated, (index, isShown ? number : nil))
            }
        }
        sort()
    }

    private mutating func sort() {
        let ranks = rows.map { ($0.failures, $0.isFlaky ? 1 : 0) }
        let order = rows.indices.sorted { one, other in
            ranks[one] == ranks[other] ? one < other : ranks[one] > ranks[other]
        }
        rows = order.map { rows[$0] }
    }
}

extension TestResults.Result {
    fileprivate mutating func add(
        _ test: TestReport, _ isTolerated: Bool, _ place: (cell: Int, test: Int?)
    ) {
        if let seconds = test.seconds { times.append(seconds) }
        switch test.status {
        case .passed: passed += 1
        case .skipped: skipped += 1
        case .failed, .error:
            if isTolerated { tolerated += 1 } else { failed += 1 }
            if failure == nil { (failure, message) = (place, test.message) }
        }
        if test.isFlaky { flaky += 1 }
    }
}

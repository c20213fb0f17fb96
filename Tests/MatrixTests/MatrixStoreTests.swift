import Foundation
import LinkModel
import LinkTesting
import Synchronization
import Testing

@testable import Matrix

@Suite("Results of a matrix on disk", .tags(.unit))
struct MatrixStoreTests {
    /// Runs `body` with a matrix that has begun in the directory `report`.
    private static func withMatrix(
        _ body: (TemporaryDirectory, MatrixStore) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { temporary in
            let store = try MatrixStore.begin(
                SampleMatrix.record(), at: "\(temporary.path)/report")
            try body(temporary, store)
        }
    }

    private static func save(
        _ ids: String..., in store: MatrixStore, status: CellReport.Status = .passed
    ) throws {
        for id in ids {
            try store.save(
                SampleMatrix.result(id, of: store.record, status: status), as: id,
                isLasting: id == "LTE")
        }
    }

    @Test func `results are there at once, and make a report`() async throws {
        try await Self.withMatrix { _, store in
            try Self.save("baseline", "LTE", in: store)
            let report = try ReportDirectory.report(at: store.directory.path)
            #expect(report.cells.map(\.id) == ["baseline", "LTE", "3G"])
            #expect(report.cells.map(\.status) == [.passed, .passed, .missing])
            #expect(!report.isFinished && report.notes.isEmpty)
            #expect(report.cells[1].baselineSeconds == 1 && report.cells[1].startedSeconds == 5)
            try Self.save("3G", in: store, status: .failed)
            let whole = try ReportDirectory.report(at: store.directory.path)
            #expect(whole.isFinished && whole.failed == 1)
            let written = try MatrixReport(json: whole.json().utf8)
            #expect(written.cells == whole.cells && written.digest == whole.digest)
        }
    }

    @Test func `a report that was made meanwhile hides no later result`() async throws {
        try await Self.withMatrix { _, store in
            try Self.save("LTE", in: store)
            let path = store.directory.path
            let early = try ReportDirectory.report(at: path)
            try store.directory.write(early.json(), to: ReportDirectory.reportName)
            #expect(try ReportDirectory.report(at: path).cells.map(\.id) == early.cells.map(\.id))
            try Self.save("3G", in: store)
            let late = try ReportDirectory.report(at: path)
            #expect(late.cells.map(\.status) == [.missing, .passed, .passed])
        }
    }

    @Test(arguments: [false, true])
    func `what a killed cell wrote counts for no other`(isResumed: Bool) async throws {
        try await withTemporaryDirectory { temporary in
            let path = "\(temporary.path)/report"
            do {
                let store = try MatrixStore.begin(SampleMatrix.record(), at: path)
                try Self.save("LTE", in: store)
                for name in ["LTE", "3G", "3G.attempt-2"] {
                    try temporary.write("<testsuite/>", to: "report/files/\(name)/junit.xml")
                    try temporary.write("killed", to: "report/logs/\(name).log")
                }
            }
            let next =
                try isResumed
                ? MatrixStore.resume(at: path)
                : MatrixStore.begin(SampleMatrix.record(), at: path)
            let left = ["files", "logs"].flatMap { folder in
                (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? []
            }
            #expect(left.sorted() == (isResumed ? ["LTE", "LTE.log"] : []))
            _ = try next.directory.makeFilesDirectory("LTE")
            let again = try FileManager.default.contentsOfDirectory(atPath: "\(path)/files/LTE")
            #expect(again.isEmpty)
        }
    }

    @Test func `a matrix that waited for another's end removes the report of that`() async throws {
        try await withTemporaryDirectory { temporary in
            let path = "\(temporary.path)/report"
            let first = Held(try MatrixStore.begin(SampleMatrix.record(), at: path))
            let report = try SampleMatrix.report(SampleMatrix.specification()).json()
            // Not a task: the threads of tasks may all be busy until the second one gives up.
            let end = Thread {
                // The second one waits for the lock; then this one ends with a report.
                Thread.sleep(forTimeInterval: 0.2)
                first.store.withLock { store in
                    try? store?.directory.write(report, to: ReportDirectory.reportName)
                    store = nil
                }
            }
            end.start()
            let store = try MatrixStore.begin(SampleMatrix.record(), at: path)
            let current = try ReportDirectory.report(at: path)
            #expect(current.cells.allSatisfy { $0.status == .missing })
            _ = store
        }
    }

    @Test(arguments: [
        ("{\"format\": 1", "not a file of linkcond matrix, or not a whole one"),
        ("", "not a whole"),
        ("\0\0\0\0", "not a whole"), ("[]", "not a whole"), ("{\"format\": 1}", "not a whole"),
        (
            "{\"format\": 7}",
            "was written by another version of linkcond (format 7, and this one reads 1)"
        ),
    ])
    func `a result that cannot be used is named, and the others count`(
        text: String, problem: String
    ) async throws {
        try await Self.withMatrix { temporary, store in
            try Self.save("baseline", "3G", in: store)
            try temporary.write(text, to: "report/cells/LTE.json")
            let stored = store.load()
            #expect(stored.damages.map(\.name) == ["LTE"])
            let message = try #require(stored.damages.first?.problem)
            #expect(message.hasPrefix("\(store.directory.path)/cells/LTE.json: "))
            #expect(message.contains(problem), "\(message)")
            #expect(stored["LTE"] == nil && stored["3G"] != nil && stored["baseline"] != nil)
        }
    }

    @Test func `what is of another matrix, or a link, is no result`() async throws {
        try await Self.withMatrix { temporary, store in
            let other = SampleMatrix.record(SampleMatrix.specification(["Edge"]))
            let strange = SampleMatrix.result("Edge", of: other)
            try temporary.write(MatrixJSON.text(strange), to: "report/cells/Edge.json")
            try temporary.write(MatrixJSON.text(strange), to: "outside.json")
            try shell("ln -s ../../outside.json \(temporary.path)/report/cells/LTE.json")
            let problems = store.load().damages.map(\.problem)
            #expect(problems.count == 2)
            #expect(problems.first?.hasSuffix("Edge.json: is of another matrix") == true)
            #expect(store.load()["LTE"] == nil)
        }
    }

    @Test func `of two results of a cell the one of the later claim counts`() {
        let record = SampleMatrix.record()
        let first = SampleMatrix.result("LTE", of: record, claim: 1)
        let second = SampleMatrix.result("LTE", of: record, claim: 2, status: .failed)
        #expect(second.replaces(first) && !first.replaces(second))
    }

    @Test func `each kind of machine is compared with its own baseline`() async throws {
        try await Self.withMatrix { _, store in
            let record = store.record
            let results = [
                ("baseline", "slow", 4.0), ("baseline", "fast", 1), ("LTE", "slow", 8),
                ("3G", "fast", 8),
            ]
            for (id, kind, seconds) in results {
                let result = SampleMatrix.result(id, of: record, kind: kind, seconds: seconds)
                try store.save(result, as: "\(id)-\(kind)", isLasting: false)
            }
            let stored = store.load()
            #expect(stored.baselineSeconds(on: "slow") == 4)
            #expect(stored.hasBaseline(elsewhereThan: "slow"))
            let cells = MatrixReport(record, stored).cells
            #expect(cells.map(\.id) == ["baseline", "LTE", "3G"])
            #expect(cells.dropFirst().map(\.baselineSeconds) == [4, 1])
        }
    }

    @Test func `a failed baseline is not hidden by that of another kind of machine`() {
        let record = SampleMatrix.record()
        let good = SampleMatrix.result("baseline", of: record, claim: 2, kind: "fast")
        let bad = SampleMatrix.result("baseline", of: record, kind: "slow", status: .failed)
        #expect(bad.replaces(good) && !good.replaces(bad))
    }

    @Test func `nobody else writes where a matrix runs`() async throws {
        try await Self.withMatrix { _, store in
            let path = store.directory.path
            let locked = #expect(throws: MatrixError.self) { try MatrixStore.resume(at: path) }
            #expect(locked?.status == .cannotWrite)
            #expect(locked?.description.contains("is running a matrix there") == true)
        }
    }

    @Test func `a new matrix removes what one that did not end left, and only that`()
        async throws
    {
        try await withTemporaryDirectory { temporary in
            let path = "\(temporary.path)/report"
            let record = SampleMatrix.record()
            func leave() throws {
                let store = try MatrixStore.begin(record, at: path)
                try Self.save("baseline", "LTE", in: store)
            }
            try leave()
            for name in ["cells/mine", "cells/broken.json", "cells/.3G.json.1.partial"] {
                try temporary.write("x", to: "report/\(name)")
            }
            try temporary.write("x", to: "report/logs/LTE.log")
            let loss = try MatrixPlace(report: path, resume: nil).loss
            #expect(loss?.contains("had 2 of 3 results of a matrix that did not end") == true)
            _ = try ReportDirectory(creating: path)
            let left = try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
            #expect(left == ["cells", "cells/mine", "logs"])
        }
    }

    @Test(arguments: ["", "{}", "{\"format\": 2}", "{\"format\": 1, \"digest\": \"0\"}"])
    func `a matrix that cannot be read is neither resumed nor replaced`(text: String) async throws {
        try await withTemporaryDirectory { temporary in
            try temporary.write(text, to: "matrix.json")
            let path = temporary.path
            for error in [
                #expect(throws: MatrixError.self) { try ReportDirectory(creating: path) },
                #expect(throws: MatrixError.self) {
                    try MatrixPlace(report: nil, resume: path).begun()
                },
                #expect(throws: MatrixError.self) { try ReportDirectory.report(at: path) },
            ] {
                #expect(error?.status == .badFile)
                #expect(error?.description.hasPrefix("\(path)/matrix.json: ") == true)
            }
        }
    }

    @Test func `a processor is named as its kernel names it`() {
        let intel = "processor\t: 0\nmodel name\t: Xeon(R) @ 2.20GHz\ncores\t: 2\n\nprocessor\t: 1"
        #expect(MachineKind.processor(in: intel) == "Xeon(R) @ 2.20GHz")
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\n"
        #expect(MachineKind.processor(in: arm) == "0x41 0xd0c")
        #expect(MachineKind.processor(in: "") == "unknown processor")
    }

    @Test func `waiting for the medium takes a twentieth of the time at most`() {
        var budget = SyncBudget()
        let begin = ContinuousClock.now
        #expect(budget.allowsSync(at: begin))
        budget.note(from: begin, to: begin + .milliseconds(10))
        #expect(!budget.allowsSync(at: begin + .milliseconds(209)))
        #expect(budget.allowsSync(at: begin + .milliseconds(210)))
    }

    /// A matrix that another thread can end.
    private final class Held: Sendable {
        let store: Mutex<MatrixStore?>

        init(_ store: sending MatrixStore) { self.store = Mutex(store) }
    }
}
